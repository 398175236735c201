import type { SigningKey } from '../fakes/aws-signature.ts';
import { bodyOf, type Dialect, failure, kindOf } from './dialect.ts';
import {
  assignsLocation,
  configured,
  encodesAgain,
  endpoints,
  needsSignature,
  needsWarehouse,
  onlyCreates,
} from './quirks.ts';

/** What `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` hold while these dialects are spoken to. */
export const awsKey = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'eu-west-1',
};
const forGlue: SigningKey = { ...awsKey, service: 'glue' };
const forS3Tables: SigningKey = { ...awsKey, service: 's3tables' };

const account = '123456789012';
const bucketArn = `arn:aws:s3tables:eu-west-1:${account}:bucket/lake`;

/** AWS Glue's Iceberg REST endpoint. Whether it registers metadata files is not known: here it does not. */
export const glue: Dialect = {
  name: 'Glue',
  root: '/iceberg',
  config: configured('overrides', `catalogs/${account}`, { endpoints: endpoints('/register') }),
  settings: { catalog_warehouse: account, catalog_sigv4: { region: 'eu-west-1' } },
  quirks: [
    needsSignature(
      forGlue,
      'AWS documentation, "Connecting to the Data Catalog using AWS Glue Iceberg REST endpoint"',
    ),
    needsWarehouse(account, 'AWS documentation: the warehouse is the ID of the account or catalog'),
    onlyCreates('duckdb-iceberg #549 and #1128, paimon #8290, trino #28739: stage-create is refused'),
    {
      title: 'a table must be given its location',
      source: 'duckdb-iceberg #1128: "Location information cannot be null"',
      serve: (next) => (request) =>
        kindOf(request) === 'create' && bodyOf(request)['location'] === undefined
          ? failure(400, 'BadRequestException', 'Location information cannot be null or empty')
          : next(request),
      without: { settings: { table_location: 'catalog' } },
    },
    {
      title: 'throttling is a 400 that says so by its type alone',
      source: 'apache/iceberg #17824',
      serve:
        (next, { seen }) =>
        (request) => {
          if (kindOf(request) !== 'load' || seen.has('throttled')) return next(request);
          seen.set('throttled', 1);
          return failure(400, 'ThrottlingException', 'Rate exceeded');
        },
      without: {
        answer: (answer) => ({
          ...answer,
          body: Buffer.from(answer.body ?? '')
            .toString()
            .replace('ThrottlingException', 'BadRequestException'),
        }),
      },
    },
  ],
  shows: ['throttled'],
};

/** Amazon S3 Tables. That files which lie elsewhere can be added is not verified. */
export const s3Tables: Dialect = {
  name: 'S3 Tables',
  root: '/iceberg',
  config: configured('overrides', encodeURIComponent(bucketArn), { endpoints: endpoints('/register') }),
  settings: { catalog_warehouse: bucketArn, catalog_sigv4: {}, table_location: 'catalog' },
  quirks: [
    needsSignature(
      forS3Tables,
      'AWS documentation, "Accessing tables using the Amazon S3 Tables Iceberg REST endpoint"',
    ),
    {
      title: 'the prefix is an encoded ARN, and is not encoded again',
      source: 'AWS documentation: the prefix is the URL-encoded ARN of the table bucket; iceberg-rust #2311',
      serve: (next) => next,
      without: encodesAgain,
    },
    needsWarehouse(bucketArn, 'AWS documentation: the warehouse is the ARN of the table bucket'),
    onlyCreates('duckdb-iceberg #1294: stage-create is a 400'),
    assignsLocation(
      'AWS documentation: the location of a table is assigned by S3 Tables',
      (name) => `s3://lake/assigned/${name}--table-s3`,
      'The location cannot be specified for a table in a table bucket',
    ),
  ],
};
