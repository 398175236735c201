import { expect, test } from 'vitest';
import { json } from '../../fakes/http.ts';
import { failure, loadedTable, scriptedCatalog } from './scripted-catalog.ts';

const table = { namespace: ['analytics'], name: 'orders' };
const other = { namespace: ['analytics'], name: 'other' };
const nothing = { requirements: [], updates: [] };

/** A catalog that gives `orders` a token of its own, for as long as `accepted` says. */
function withTableToken(accepted: () => boolean) {
  return scriptedCatalog({
    settings: { catalog_token: 'main-token' },
    answer: (line, { headers }) => {
      if (line.includes('/v1/config')) return undefined;
      if (headers['authorization'] === 'Bearer table-token' && !accepted()) return failure(419);
      return json(200, {
        ...loadedTable,
        ...(line.endsWith('/orders') && { config: { token: 'table-token' } }),
      });
    },
  });
}

test("a table's own token is used for that table alone, once its load has answered it", async () => {
  const { catalog, server } = await withTableToken(() => true);
  await catalog.load(table);
  await catalog.commit(table, nothing);
  await catalog.load(other);
  await catalog.commit(other, nothing);
  const bearers = server.requests.map(({ headers }) =>
    headers['authorization']?.replace(/Bearer |-token/g, ''),
  );
  expect(bearers).toStrictEqual(['main', 'main', 'table', 'main', 'main']);
});

test("a table's own token that is refused gives way to everything else's, in the same commit (F3)", async () => {
  let accepted = true;
  const { catalog, server } = await withTableToken(() => accepted);
  await catalog.load(table);
  accepted = false;
  expect(await catalog.commit(table, nothing)).toMatchObject({ outcome: 'landed' });
  await catalog.commit(table, nothing);
  const bearers = server.requests.map(({ headers }) =>
    headers['authorization']?.replace(/Bearer |-token/g, ''),
  );
  expect(bearers).toStrictEqual(['main', 'main', 'table', 'main', 'main']);
});
