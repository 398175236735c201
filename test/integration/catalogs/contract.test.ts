import { randomUUID } from 'node:crypto';
import { systemClock, systemRandom, systemTimers } from '../../../lib/drivers/platform.ts';
import { restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { catalogContract } from '../../contract/catalog-contract.ts';
import type { CatalogSubject } from '../../contract/catalog-table.ts';
import { shows } from '../services/capability.ts';
import { askedFor } from '../services/chosen.ts';
import { describeWith } from '../services/describe-with.ts';
import type { CatalogService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';

/** How SeaweedFS's catalog differs from the port's contract; what is found out of date here fails. */
const names = 'it takes lower case letters, digits, _ and - only';
const schemas = 'a table made by a commit has an empty schema 0, and the one that was sent as schema 1';
const differences = {
  'createNamespace makes ["dots.in","it"], level by level, and finds it the second time (D11)': names,
  'createNamespace makes ["ü 日本","a b"], level by level, and finds it the second time (D11)': names,
  'createNamespace makes ["percent%2E","plus+"], level by level, and finds it the second time (D11)': names,
  'table name "a.b" arrives as it is (D12)': names,
  'table name "a b" arrives as it is (D12)': names,
  'table name "a/b" arrives as it is (D12)': names,
  'table name "a+b&c=d" arrives as it is (D12)': names,
  'table name "q?h#" arrives as it is (D12)': names,
  'table name "100%25" arrives as it is (D12)': names,
  'table name "ü日本🧊" arrives as it is (D12)': names,
  'a namespace of two levels is not the one whose name has a dot (D11)': 'it joins levels with dots',
  'supports says that the catalog registers, commits and creates': 'it lists no endpoints',
  'commit of assert-create makes a table with IDs, UUID, location and properties as sent (I5)': schemas,
  'commit of assert-create has one winner among 20 creators, the table with its first snapshot':
    'sometimes it lets several creators at once win',
  'register takes a metadata file with its IDs, UUID and location; a second one finds the table (I5)':
    'metadata files must lie in the table bucket, and are answered by an empty table',
  'create makes a table and gives its fields new IDs; a second one finds it':
    'tables that are created must lie in the table bucket',
  'commit asserts assert-current-schema-id: fresh lands, stale is a conflict and changes nothing (I8)':
    schemas,
  'commit of add-schema keeps its field IDs, and -1 makes it current (I5)': schemas,
  'commit of add-schema equal to an older one adds nothing: -1 is invalid, its ID is right': schemas,
  'commit of schema and snapshot is one step (I4)': schemas,
};

/** How Lakekeeper differs: it makes no table by a commit, and takes not every sign in a name. */
const staged = 'it commits to tables alone that are there, or staged';
const lakekeeperDifferences = {
  'createNamespace makes ["dots.in","it"], level by level, and finds it the second time (D11)':
    'a level has no dot',
  'createNamespace makes ["percent%2E","plus+"], level by level, and finds it the second time (D11)':
    'a level has no plus',
  'table name "a+b&c=d" arrives as it is (D12)': 'a name has no plus',
  'a namespace of two levels is not the one whose name has a dot (D11)': 'a level has no dot',
  'commit of add-schema equal to an older one adds nothing: -1 is invalid, its ID is right':
    '-1 is the schema that is equal',
  'commit of assert-create makes a table with IDs, UUID, location and properties as sent (I5)': staged,
  'commit of assert-create has one winner among 20 creators, the table with its first snapshot': staged,
};

function subjectOn(
  { uri, store, warehouse, wayIn }: CatalogService,
  tablesBy: CatalogSubject['tablesBy'] = 'commit',
) {
  return async () => {
    const catalog = restCatalog(
      {
        catalog_uri: uri,
        catalog_warehouse: warehouse ?? store.bucket,
        ...wayIn,
        retry: { initial_ms: 10, max_ms: 100, jitter: 1 },
      },
      { clock: systemClock, timers: systemTimers, random: systemRandom },
    );
    const namespace = [`contract_${randomUUID().replaceAll('-', '')}`];
    await catalog.createNamespace(namespace);
    const files = s3Store(storeSettings(store));
    return {
      subject: {
        catalog,
        namespace,
        location: `s3://${store.bucket}/${namespace[0]}`,
        tablesBy,
        writeFile: async (file: string, bytes: Uint8Array) => {
          await files.write(file, bytes);
        },
      },
    };
  };
}

describeWith(
  'catalog contract',
  ['seaweedfsOwnCatalog'],
  ({ seaweedfsOwnCatalog: service }) => {
    const { accessKeyId, secretAccessKey } = service.store;
    const credential = { client_id: accessKeyId, client_secret: secretAccessKey };
    catalogContract(
      'restCatalog on SeaweedFS’s own catalog, by OAuth2',
      subjectOn({ ...service, wayIn: { catalog_credential: credential } }),
      differences,
    );
  },
  shows('seaweedfs', 'contract'),
);

for (const name of askedFor()) {
  if (name === 'fixture' || name === 'seaweedfs') continue;
  describeWith(
    'catalog contract',
    [name],
    ({ [name]: service }) => {
      const subject = subjectOn(service, name === 'lakekeeper' ? 'register' : 'commit');
      const known = name === 'lakekeeper' ? lakekeeperDifferences : {};
      catalogContract(`restCatalog on ${name}`, subject, known);
    },
    shows(name, 'contract'),
  );
}
