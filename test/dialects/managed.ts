import { bodyOf, type Dialect, failure, isCreation, kindOf, updatesOf, withBody } from './dialect.ts';
import {
  assignsLocation,
  configured,
  endpoints,
  needsBearer,
  needsCredential,
  needsGoogleToken,
  needsHeader,
  needsWarehouse,
  onlyCreates,
} from './quirks.ts';

/** Databricks Unity Catalog: managed tables only, so no file of others can be in one. */
export const unity: Dialect = {
  name: 'Unity',
  root: '/api/2.1/unity-catalog/iceberg-rest',
  config: configured('overrides', 'catalogs/main', { endpoints: endpoints('/register') }),
  settings: { catalog_warehouse: 'main', catalog_token: 'dapi-token', table_location: 'catalog' },
  refuses: { code: 'catalog.conflict', message: /ErrorCode 2012/ },
  quirks: [
    needsBearer(
      'dapi-token',
      'Databricks documentation, "Access Databricks tables from Apache Iceberg clients"',
    ),
    needsWarehouse('main', 'Databricks documentation: the warehouse is the catalog’s name'),
    onlyCreates('dbt-core #15239: clients turn stage-create off'),
    assignsLocation(
      'Databricks documentation: managed tables have no location of one’s own',
      (name) => `s3://lake/__unitystorage/${name}`,
      'Managed tables cannot have a location',
    ),
    {
      title: 'data outside of the advertised path is a 500 that looks like an unknown state',
      source: 'materialize #38412',
      serve: (next) => (request) =>
        kindOf(request) === 'commit' && updatesOf(bodyOf(request), 'add-snapshot').length > 0
          ? failure(500, 'InternalServerError', 'ErrorCode 2012: file is outside of the table’s location')
          : next(request),
      without: { answer: (answer) => (answer.status === 500 ? { ...answer, status: 400 } : answer) },
    },
  ],
};

/** Snowflake Horizon. */
export const snowflake: Dialect = {
  name: 'Snowflake',
  root: '/polaris/api/catalog',
  config: configured('overrides', 'LAKE', { endpoints: endpoints('/register') }),
  settings: {
    catalog_warehouse: 'LAKE',
    catalog_credential: { client_id: '', client_secret: 'programmatic-token', scope: 'session:role:LOADER' },
    table_location: 'catalog',
  },
  shows: ['renewals'],
  quirks: [
    needsCredential(
      { client_secret: 'programmatic-token', scope: 'session:role:LOADER', client_id: undefined },
      'iceberg-python #462, fluree/db #1402; Snowflake documentation, "session:role:"',
      {
        catalog_credential: {
          client_id: 'registrar',
          client_secret: 'programmatic-token',
          scope: 'session:role:LOADER',
        },
      },
    ),
    needsWarehouse('LAKE', 'Snowflake documentation: the warehouse is the database'),
    onlyCreates('dbt-core #15239: clients turn stage-create off'),
    assignsLocation(
      'dbt-core #15266: "Setting table location is not allowed"',
      (name) => `s3://lake/snowflake/${name}`,
      'Setting table location is not allowed',
    ),
  ],
};

/** Cloudflare R2 Data Catalog. */
export const r2: Dialect = {
  name: 'R2',
  root: '/0123abcd/lake',
  config: configured('overrides', '0198f0aa-7c3b', { endpoints: endpoints('/register') }),
  settings: { catalog_warehouse: '0123abcd_lake', catalog_token: 'r2-token' },
  quirks: [
    needsBearer('r2-token', 'Cloudflare documentation, "R2 Data Catalog": an API token as bearer'),
    needsWarehouse('0123abcd_lake', 'Cloudflare documentation: the warehouse is account and bucket'),
  ],
};

/** Google BigLake metastore. */
export const bigLake: Dialect = {
  name: 'BigLake',
  root: '/iceberg/v1beta/restcatalog',
  config: configured('overrides', 'projects/p/catalogs/lake', { endpoints: endpoints('/register') }),
  settings: {
    catalog_warehouse: 'gs://lake',
    catalog_google: true,
    catalog_headers: { 'x-goog-user-project': 'p' },
    table_location: 'catalog',
  },
  shows: ['renewals'],
  quirks: [
    needsHeader(
      'x-goog-user-project',
      'p',
      'Google documentation, "Use the Iceberg REST catalog in BigLake"',
      {
        catalog_headers: undefined,
      },
    ),
    needsGoogleToken('Google documentation: an access token of the service account, which lasts an hour'),
    needsWarehouse('gs://lake', 'Google documentation: the warehouse is the bucket'),
    {
      title: 'the catalog puts a table below a suffix of its own, whatever is sent, and nothing moves it',
      source: 'trino #30438',
      serve: (next) => (request) => {
        const body = bodyOf(request);
        if (kindOf(request) === 'commit' && (isCreation(body) || updatesOf(body, 'set-location').length > 0))
          return failure(400, 'BadRequestException', 'location is immutable');
        if (kindOf(request) !== 'create') return next(request);
        const placed = { ...body, location: `s3://lake/biglake/${body['name']}/5a0e` };
        return next(withBody(request, placed));
      },
      without: { settings: { table_location: undefined } },
    },
  ],
};
