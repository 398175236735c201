import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../test/integration/services/free-ports.ts';
import { startHostProcess } from '../../test/integration/services/host-process.ts';
import type { FixtureDatabase } from '../../test/integration/services/rest-fixture.ts';
import type { Folders, Running } from '../../test/integration/services/service.ts';

const run = promisify(execFile);
/** The folder of Debian's packages, with a subfolder per version. */
const DEBIAN = '/usr/lib/postgresql';
const DRIVER = 'postgresql-42.7.14.jar';

/** Starts a PostgreSQL server for this run from Debian's packages. @throws Error when they are not installed */
export async function postgresql(folders: Folders): Promise<Running<FixtureDatabase>> {
  const version = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted().at(-1) : undefined;
  if (version === undefined)
    throw new Error(`there is no PostgreSQL below ${DEBIAN}: install the package postgresql`);
  const bin = (program: string) => join(DEBIAN, version, 'bin', program);
  const user = await serviceUser();
  // Not below the scratch folder, because only its owner may enter that.
  const data = mkdtempSync(join(tmpdir(), 'iceberg-registrar-postgresql-'));
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  const as = (program: string, args: readonly string[]): [string, string[]] =>
    user === undefined
      ? [bin(program), [...args]]
      : ['setpriv', [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', bin(program), ...args]];

  await run(...as('initdb', ['-D', join(data, 'cluster'), '-U', 'iceberg', '--auth=trust', '--no-sync']), {
    cwd: data,
  });
  const port = await freePort();
  const [command, args] = as('postgres', [
    ...['-D', join(data, 'cluster'), '-p', String(port), '-h', '127.0.0.1', '-k', data],
    ...['-c', 'fsync=off'],
  ]);
  const ready = () =>
    run(bin('pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    );
  const running = await startHostProcess(folders, { name: 'postgresql', command, args, ready });
  return {
    service: {
      uri: `jdbc:postgresql://127.0.0.1:${port}/postgres`,
      user: 'iceberg',
      password: 'unused',
      driver: join(folders.installed, 'postgresql', DRIVER),
    },
    async stop() {
      await running.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root, so root runs it as the user of Debian's package. */
async function serviceUser(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}
