import { expect, test } from 'vitest';
import { optional, schema } from '../../../local/shipper/schema-notation.ts';
import type { Lake } from '../schema/lake.ts';
import { capability } from '../services/capability.ts';
import type { CatalogName } from '../services/chosen.ts';
import { reader } from '../services/seaweedfs.ts';
import type { StoreService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';

const dataset = schema(optional(10, 'id', 'long'));

/**
 * The tests of a catalog that hands out credentials: a registrar whose own keys may write nothing registers with them, and only with them.
 *
 * @param open a dataset without a table yet, on the catalog
 */
export function writesWithVendedCredentials(
  name: CatalogName,
  open: () => Promise<{ readonly lake: Lake; readonly store: StoreService }>,
): void {
  /** Registers a second segment in a table that is there, without keys that may write. */
  async function withoutWriting(access_delegation: string) {
    const { lake, store } = await open();
    await lake.ship(dataset, [{ id: 1n }]);
    const key = await lake.upload(dataset, [{ id: 2n }]);
    const settings = { access_delegation, store: storeSettings({ ...store, ...reader }) };
    const [outcome] = await (await lake.another(settings)).register([key]);
    return { lake, outcome };
  }

  capability(name, 'vended', 'writes manifests with the credentials that it hands out', async () => {
    const { lake, outcome } = await withoutWriting('vended-credentials');
    expect(outcome).toMatchObject({ kind: 'committed' });
    expect((await lake.state()).snapshots.size).toBe(2);
  });

  test('writes no manifest where none are asked for and one’s own may not: auth.failed', async () => {
    const { lake, outcome } = await withoutWriting('none');
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'auth.failed' } });
    expect((await lake.state()).snapshots.size).toBe(1);
  });
}
