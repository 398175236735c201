import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ContainerNetwork, startContainer } from './container.ts';
import { freePort } from './free-ports.ts';
import { startHostProcess } from './host-process.ts';
import type { Folders, Running } from './service.ts';

const run = promisify(execFile);
/** The folder of Debian's packages, with a subfolder per version. */
const DEBIAN = '/usr/lib/postgresql';

/** Where the services of one run find a database. */
export interface Database {
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly user: string;
  readonly password: string;
}

/** A PostgreSQL for one catalog alone, as the catalogs' own examples have it. */
export async function postgresInContainer(
  folders: Folders,
  network: ContainerNetwork,
  catalog: string,
): Promise<Running<Database>> {
  const credentials = { user: 'postgres', password: 'postgres' };
  const running = await startContainer(folders, network, {
    name: `${catalog}-postgres`,
    image: process.env['POSTGRES_IMAGE'] ?? 'postgres:17.6',
    port: 5432,
    environment: { POSTGRES_USER: credentials.user, POSTGRES_PASSWORD: credentials.password },
  });
  return {
    service: { host: running.address, port: 5432, name: 'postgres', ...credentials },
    stop: running.stop,
  };
}

/** The same as a process of this machine, from Debian's packages. @throws Error when they are not installed */
export async function postgresOnHost(folders: Folders, catalog: string): Promise<Running<Database>> {
  const version = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted().at(-1) : undefined;
  if (version === undefined)
    throw new Error(`there is no PostgreSQL below ${DEBIAN}: install the package postgresql`);
  const bin = (program: string) => join(DEBIAN, version, 'bin', program);
  const owner = await serviceUser();
  // Not below the scratch folder, because only its owner may enter that.
  const data = mkdtempSync(join(tmpdir(), 'iceberg-registrar-postgresql-'));
  if (owner !== undefined) chownSync(data, owner.uid, owner.gid);
  const as = (program: string, args: readonly string[]): [string, string[]] =>
    owner === undefined
      ? [bin(program), [...args]]
      : [
          'setpriv',
          [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', bin(program), ...args],
        ];

  const user = 'iceberg';
  await run(...as('initdb', ['-D', join(data, 'cluster'), '-U', user, '--auth=trust', '--no-sync']), {
    cwd: data,
  });
  const host = '127.0.0.1';
  const port = await freePort();
  const [command, args] = as('postgres', [
    ...['-D', join(data, 'cluster'), '-p', String(port), '-h', host, '-k', data],
    ...['-c', 'fsync=off'],
  ]);
  const ready = () =>
    run(bin('pg_isready'), ['-h', host, '-p', String(port)]).then(
      () => true,
      () => false,
    );
  const running = await startHostProcess(folders, { name: `${catalog}-postgres`, command, args, ready });
  return {
    service: { host, port, name: 'postgres', user, password: 'unused' },
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
