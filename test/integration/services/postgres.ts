import { type ContainerNetwork, startContainer } from './container.ts';
import type { Folders, Running } from './service.ts';

/** Where the containers of one run find a database. */
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
