import { type Wiring, wire } from '../../lib/wire.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { livePaths } from '../live-paths.ts';
import { settingsOf } from './programs.ts';

const wirings = new Map<string, Promise<Wiring>>();

/** The live paths of a namespace's table, with duplicates. Empty if there is no table. */
export async function tablePaths(service: CatalogService, namespace: string): Promise<readonly string[]> {
  const made =
    wirings.get(namespace) ??
    wire({ REGISTRAR_CONFIG: `${JSON.stringify(settingsOf(service, namespace))}\n` }, process.stderr);
  wirings.set(namespace, made);
  return livePaths(await made, 'orders');
}
