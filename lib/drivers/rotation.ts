import { isDeepStrictEqual } from 'node:util';
import { RegistrarError } from '../errors.ts';
import type { Catalog, Clock, Store } from '../ports.ts';

/** Settings whose secrets may be rotated during the life of a warm container. */
export interface Rotation<Settings> {
  /** The current settings; a different object after a change. */
  now(): Settings;
  /** Reads the settings again, at most once per minute for all callers. */
  reread(): Promise<void>;
}

const shortestMs = 60_000;

/**
 * Makes a rotation of each of the settings; all of them are read together. If `read` throws, `failed` gets the error and the settings stay
 * as they are, since the original refusal is the more useful message.
 */
export function rotations<Settings>(
  first: readonly Settings[],
  read: () => Promise<readonly Settings[]>,
  clock: Clock,
  failed: (error: unknown) => void,
): readonly Rotation<Settings>[] {
  let readAtMs = clock.now();
  let reading = Promise.resolve(first);
  const latest = [...first];

  async function reread(): Promise<void> {
    if (clock.now() - readAtMs >= shortestMs) {
      readAtMs = clock.now();
      reading = read().catch((error: unknown) => {
        failed(error);
        return latest;
      });
    }
    for (const [at, settings] of (await reading).entries()) {
      if (at < latest.length && !isDeepStrictEqual(latest[at], settings)) latest[at] = settings;
    }
  }

  return first.map((settings, at) => ({ now: () => latest[at] ?? settings, reread }));
}

/**
 * Calls a port that was made from the current settings. `auth.failed` means that the call had no effect: if the settings have changed since,
 * the port is made again and called once more.
 */
function caller<Settings, Port>(rotation: Rotation<Settings>, make: (settings: Settings) => Port) {
  let settings = rotation.now();
  let port = make(settings);

  function upToDate(): Port {
    if (rotation.now() !== settings) {
      settings = rotation.now();
      port = make(settings);
    }
    return port;
  }

  return async <Answer>(call: (port: Port) => Promise<Answer>): Promise<Answer> => {
    const used = upToDate();
    try {
      return await call(used);
    } catch (error) {
      if (!(error instanceof RegistrarError) || error.code !== 'auth.failed') throw error;
      await rotation.reread();
      const fresh = upToDate();
      if (fresh === used) throw error;
      return call(fresh);
    }
  };
}

/** A catalog that survives rotated secrets. */
export function rotatingCatalog<Settings, Made extends Catalog>(
  rotation: Rotation<Settings>,
  make: (settings: Settings) => Made,
): {
  readonly catalog: Catalog;
  readonly call: <Answer>(use: (catalog: Made) => Promise<Answer>) => Promise<Answer>;
} {
  const call = caller(rotation, make);
  return {
    call,
    catalog: {
      load: (table, options) => call((catalog) => catalog.load(table, options)),
      createNamespace: (namespace) => call((catalog) => catalog.createNamespace(namespace)),
      register: (table, location) => call((catalog) => catalog.register(table, location)),
      create: (table, request) => call((catalog) => catalog.create(table, request)),
      commit: (table, commit, options) => call((catalog) => catalog.commit(table, commit, options)),
      supports: (endpoint) => call((catalog) => catalog.supports(endpoint)),
    },
  };
}

/** A store that survives rotated secrets. */
export function rotatingStore<Settings>(
  rotation: Rotation<Settings>,
  make: (settings: Settings) => Store,
): Store {
  const call = caller(rotation, make);
  return {
    read: (uri, options) => call((store) => store.read(uri, options)),
    write: (uri, bytes, options) => call((store) => store.write(uri, bytes, options)),
    async *list(prefix, options) {
      const [listing, first] = await call(async (store) => {
        const iterator = store.list(prefix, options)[Symbol.asyncIterator]();
        return [iterator, await iterator.next()] as const;
      });
      for (let next = first; !next.done; next = await listing.next()) yield next.value;
    },
  };
}
