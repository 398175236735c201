import type { ServiceName } from './service.ts';

/** What every run starts. */
export const usual = [
  'localstack',
  'seaweedfs',
  'localstackCatalog',
  'seaweedfsCatalog',
  'seaweedfsOwnCatalog',
  'google',
] as const satisfies readonly ServiceName[];

/** Catalogs that come as images alone, larger than all the rest: each runs when it is asked for. */
export const catalogsOnRequest = [
  'polaris',
  'lakekeeper',
  'nessie',
] as const satisfies readonly ServiceName[];

/** Every catalog by the name that `--catalog` takes. */
export const catalogs = {
  fixture: 'seaweedfsCatalog',
  seaweedfs: 'seaweedfsOwnCatalog',
  polaris: 'polaris',
  lakekeeper: 'lakekeeper',
  nessie: 'nessie',
} as const satisfies Readonly<Record<string, ServiceName>>;

export type CatalogName = keyof typeof catalogs;

/** The catalogs that this run is about, set by `--catalog`; none: what every run is about. */
export function askedFor(): readonly CatalogName[] {
  return (process.env['TEST_CATALOGS'] ?? '').split(',').filter((name) => name !== '') as CatalogName[];
}

export function askedCatalogs(): readonly ServiceName[] {
  return askedFor().map((name) => catalogs[name]);
}
