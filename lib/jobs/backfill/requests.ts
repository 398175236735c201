import type { EntryPorts } from '../register/register-ports.ts';
import type { BackfillPorts } from './backfill-ports.ts';

/** Requests made so far, not counting retries within a driver. */
export interface Requests {
  readonly get: number;
  readonly put: number;
  /** A thousand objects each. */
  readonly list: number;
  readonly catalog: number;
}

export type RequestCount = { -readonly [K in keyof Requests]: Requests[K] };

export function noRequests(): RequestCount {
  return { get: 0, put: 0, list: 0, catalog: 0 };
}

/**
 * List prices of S3 Standard in us-east-1 in 2025, in dollars per request: $0.0004 per thousand GETs, $0.005 per thousand PUTs
 * or LISTs.
 */
const DOLLARS = { get: 0.4e-6, put: 5e-6, list: 5e-6 } as const;

/** The price of the store requests only, to six digits; what catalogs charge differs. */
export function storeDollars({ get, put, list }: Omit<Requests, 'catalog'>): number {
  return Number((get * DOLLARS.get + put * DOLLARS.put + list * DOLLARS.list).toPrecision(6));
}

const LISTED_A_REQUEST = 1_000;

/** The same ports, with the requests of every entry's services counted. */
export function countedPorts(given: BackfillPorts, count: RequestCount): BackfillPorts {
  const services = new Map(
    given.entries.map((entry) => [entry, counted(given.portsOf(entry), count)] as const),
  );
  return { ...given, portsOf: (entry) => services.get(entry) ?? given.portsOf(entry) };
}

function counted(ports: EntryPorts, count: RequestCount): EntryPorts {
  const store = (of: EntryPorts['store']): EntryPorts['store'] => ({
    read(uri, options) {
      count.get += 1;
      return of.read(uri, options);
    },
    write(uri, bytes, options) {
      count.put += 1;
      return of.write(uri, bytes, options);
    },
    async *list(prefix, options) {
      let listed = 0;
      for await (const object of of.list(prefix, options)) {
        if (listed % LISTED_A_REQUEST === 0) count.list += 1;
        listed += 1;
        yield object;
      }
      if (listed === 0) count.list += 1;
    },
  });
  const { catalog, tableStore } = ports;
  const call =
    <A extends readonly unknown[], R>(of: (...args: A) => R) =>
    (...args: A): R => {
      count.catalog += 1;
      return of(...args);
    };
  return {
    ...ports,
    store: store(ports.store),
    ...(tableStore !== undefined && { tableStore: store(tableStore) }),
    catalog: {
      ...catalog,
      load: call(catalog.load),
      createNamespace: call(catalog.createNamespace),
      register: call(catalog.register),
      create: call(catalog.create),
      commit: call(catalog.commit),
    },
  };
}
