import type { CatalogService } from '../integration/services/service.ts';
import type { UploadedEarlier } from './aged.ts';
import { type FaultRates, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';

const passing: FaultRates = { before: 0.01, after: 0.01, late: 0, slow: 0.02 };
const committing: FaultRates = { before: 0.03, after: 0.08, late: 0.03, slow: 0.06 };

const out: FaultRates = { before: 1, after: 0, late: 0, slow: 0 };

/** For ten seconds of every minute nothing answers: the catalog one time, the store the next. */
function isOut(what: 'catalog' | 'store', ms: number): boolean {
  return ms % 60_000 >= 50_000 && (Math.floor(ms / 60_000) % 2 === 0) === (what === 'catalog');
}

/** What became of the commit requests. */
export interface Commits {
  landed: number;
  /** Answered 409. */
  conflicts: number;
  /** No answer was heard. */
  unknowns: number;
  /** Landed, and no answer was heard. */
  landedUnheard: number;
}

/** Proxies between the functions and catalog and store. */
export interface Trouble {
  readonly catalog: FaultyProxy;
  readonly store: FaultyProxy;
  readonly commits: Readonly<Commits>;
  /** From now on every request passes. */
  end(): void;
  close(): Promise<void>;
}

/** @param uploadedEarlier keys whose Last-Modified the store's proxy puts back */
export async function startTrouble(
  catalog: CatalogService,
  uploadedEarlier: UploadedEarlier,
  seed: string,
): Promise<Trouble> {
  let faulty = true;
  const startedMs = Date.now();
  const rates = (what: 'catalog' | 'store', usual: FaultRates): FaultRates | undefined => {
    if (!faulty) return undefined;
    return isOut(what, Date.now() - startedMs) ? out : usual;
  };
  const commits: Commits = { landed: 0, conflicts: 0, unknowns: 0, landedUnheard: 0 };
  const catalogProxy = await startFaultyProxy({
    target: catalog.uri,
    seed: `${seed}/catalog`,
    ratesOf: ({ method, path }) => rates('catalog', isCommit(method, path) ? committing : passing),
    onEnd({ method, path, status, heard }) {
      if (!isCommit(method, path)) return;
      if (status === 200) commits.landed += 1;
      if (status === 409) commits.conflicts += 1;
      if (heard) return;
      commits.unknowns += 1;
      if (status === 200) commits.landedUnheard += 1;
    },
  });
  const storeProxy = await startFaultyProxy({
    target: catalog.store.endpoint,
    seed: `${seed}/store`,
    ratesOf: () => rates('store', passing),
    rewrite(path, headers) {
      const [resource = ''] = path.split('?', 1);
      const agoMs = uploadedEarlier.get(resource.slice(`/${catalog.store.bucket}/`.length));
      const lastModified = headers['last-modified'];
      if (agoMs === undefined || lastModified === undefined) return headers;
      return { ...headers, 'last-modified': new Date(Date.parse(lastModified) - agoMs).toUTCString() };
    },
  });
  return {
    catalog: catalogProxy,
    store: storeProxy,
    commits,
    end: () => {
      faulty = false;
    },
    async close() {
      await Promise.all([catalogProxy.close(), storeProxy.close()]);
    },
  };
}

function isCommit(method: string, path: string): boolean {
  return method === 'POST' && /\/tables\/[^/]+$/.test(path);
}
