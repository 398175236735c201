import { join } from 'node:path';
import { postgresOnHost } from '../../test/integration/services/postgres.ts';
import type { FixtureDatabase } from '../../test/integration/services/rest-fixture.ts';
import type { Folders, Running } from '../../test/integration/services/service.ts';

const DRIVER = 'postgresql-42.7.14.jar';

/** Starts a PostgreSQL server for this run's catalog. @throws Error when Debian's packages are not installed */
export async function postgresql(folders: Folders): Promise<Running<FixtureDatabase>> {
  const { service, stop } = await postgresOnHost(folders, 'fixture');
  return {
    service: {
      uri: `jdbc:postgresql://${service.host}:${service.port}/${service.name}`,
      user: service.user,
      password: service.password,
      driver: join(folders.installed, 'postgresql', DRIVER),
    },
    stop,
  };
}
