import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Engine, EngineName } from '../../certify/engines/engine.ts';
import { startEngines } from '../../certify/engines/start.ts';
import type { CatalogService } from './services/service.ts';

const STARTING_MS = 400_000;

/** Engines of the certification on a catalog, there from the first test of a suite to its last. */
export function enginesOn(
  catalog: CatalogService,
  names: readonly EngineName[],
): ReadonlyMap<EngineName, Engine> {
  const engines = new Map<EngineName, Engine>();
  let scratch: string;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'engines-'));
    const started = await startEngines(names, { catalog, scratch, logFolder: scratch, log: () => {} });
    for (const engine of started.engines) engines.set(engine.name, engine);
    expect([...started.notRun]).toEqual([]);
  }, STARTING_MS);
  afterAll(async () => {
    await Promise.all([...engines.values()].map((engine) => engine.stop()));
    await rm(scratch, { recursive: true });
  });
  return engines;
}
