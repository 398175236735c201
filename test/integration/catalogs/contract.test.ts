import { randomUUID } from 'node:crypto';
import { systemClock, systemRandom, systemTimers } from '../../../lib/drivers/platform.ts';
import { restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { catalogContract } from '../../contract/catalog-contract.ts';
import type { CatalogSubject } from '../../contract/catalog-table.ts';
import type { Exceptions } from '../../contract/contract.ts';
import { shows } from '../services/capability.ts';
import { askedFor, type CatalogName } from '../services/chosen.ts';
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

const remapped = 'the first schema gets new field IDs';
/** How the others differ from the port's contract. */
const differencesOf: Readonly<Record<Exclude<CatalogName, 'fixture' | 'seaweedfs'>, Exceptions>> = {
  polaris: {
    // EntityNameValidator; a name that comes by a commit is not looked at.
    'createNamespace makes ["percent%2E","plus+"], level by level, and finds it the second time (D11)':
      'no level of a namespace has one of / \\ : * ? " < > | # + `',
  },
  lakekeeper: lakekeeperDifferences,
  nessie: {
    'table name "q?h#" arrives as it is (D12)': 'a name with # must be that of a branch or a hash',
    'commit of assert-create makes a table with IDs, UUID, location and properties as sent (I5)': remapped,
    'create makes a table and gives its fields new IDs; a second one finds it': 'it chooses the location',
    'commit asserts assert-ref-snapshot-id null: fresh lands, stale is a conflict and changes nothing (I8)':
      'it knows the branch main alone',
    'commit of add-schema equal to an older one adds nothing: -1 is invalid, its ID is right':
      '-1 is what was added, or would have been',
    'commit of add-spec and set-default-spec partitions the table': remapped,
    'commit of upgrade-format-version makes a table v3, never v2 again': 'there is no version 3',
    'commit of add-snapshot and set-snapshot-ref appends to a branch; 63-bit IDs survive (C14)':
      'it shows the last snapshot alone, without its parent',
    'commit of set-snapshot-ref keeps the retention that it sends, and only that':
      'it knows the branch main alone',
    'commit of a sequence number that is not above the last one is refused (D4)': 'it lands',
    'commit of an update that the catalog does not know is invalid': 'it answers 500',
    'commit of a requirement that the catalog does not know is invalid': 'it answers 500',
  },
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
      catalogContract(`restCatalog on ${name}`, subject, differencesOf[name]);
    },
    shows(name, 'contract'),
  );
}
