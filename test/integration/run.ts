/**
 * `npm run test:integration -- [--catalog polaris]… [file or option of vitest…]`: the integration tests. With `--catalog` (fixture,
 * seaweedfs, polaris, lakekeeper, nessie) the suite that is the same on every catalog and what is theirs, on those alone.
 */
import { parseArgs } from 'node:util';
import { createCLI } from 'vitest/node';
import { catalogs } from './services/chosen.ts';

const suite = [
  'test/integration/schema/',
  'test/integration/catalogs/story',
  'test/integration/catalogs/contract',
  'test/integration/catalogs/doctor',
];

const args = process.argv.slice(2);
const { tokens, values } = parseArgs({
  args,
  strict: false,
  tokens: true,
  options: { catalog: { type: 'string', multiple: true } },
});
const asked = (values.catalog ?? []).map(String);
const unknown = asked.find((name) => !Object.hasOwn(catalogs, name));
if (unknown !== undefined) {
  console.error(`Cannot test the catalog "${unknown}": it is none of ${Object.keys(catalogs).join(', ')}`);
  process.exit(2);
}
const taken = new Set(
  tokens.flatMap((token) =>
    token.kind === 'option' && token.name === 'catalog'
      ? token.inlineValue
        ? [token.index]
        : [token.index, token.index + 1]
      : [],
  ),
);
/** Of the catalogs that have one. */
const ownSuites = asked.map((name) => `test/integration/catalogs/${name}.test`);
const rest = args.filter((_, at) => !taken.has(at));
const namesFiles = rest.some((argument) => !argument.startsWith('-'));
process.env['TEST_CATALOGS'] = asked.join(',');
createCLI().parse([
  'node',
  'vitest',
  'run',
  '--config',
  'vitest.integration.config.ts',
  ...(asked.length > 0 && !namesFiles ? [...suite, ...ownSuites] : []),
  ...rest,
]);
