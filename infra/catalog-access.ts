import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Entry } from '../lib/config/entry.ts';
import type { AccessContext, FunctionName } from './access-context.ts';

const CATALOG_ACTIONS: Readonly<
  Record<string, { readonly read: readonly string[]; readonly write: readonly string[] }>
> = {
  glue: {
    read: ['glue:GetCatalog', 'glue:GetDatabase', 'glue:GetTable'],
    write: ['glue:CreateDatabase', 'glue:CreateTable', 'glue:UpdateTable'],
  },
  s3tables: {
    read: [
      // What the endpoint asks for on GET /v1/config, which is every catalog's first request.
      's3tables:GetTableBucket',
      's3tables:GetNamespace',
      's3tables:GetTable',
      's3tables:GetTableMetadataLocation',
      's3tables:GetTableData',
    ],
    write: [
      's3tables:CreateNamespace',
      's3tables:CreateTable',
      's3tables:UpdateTableMetadataLocation',
      's3tables:PutTableData',
    ],
  },
};

/** The permissions of a function in catalogs that accept the role's own signature (`catalog_sigv4`). */
export function catalogStatements(
  name: Exclude<FunctionName, 'route'>,
  { partition, account, entries }: AccessContext,
): readonly PolicyStatement[] {
  const signed = entries.flatMap((entry) =>
    entry.catalog_sigv4 === undefined ? [] : { ...entry, ...entry.catalog_sigv4 },
  );
  const services = Map.groupBy(signed, ({ service }) => service);
  const vends = signed.some(
    ({ service, access_delegation }) => service === 'glue' && access_delegation === 'vended-credentials',
  );
  // Lake Formation hands out the credentials of a table in Glue. IAM cannot restrict this to a table: its own grants do.
  const lakeFormation = new PolicyStatement({
    sid: 'VendedCredentials',
    actions: ['lakeformation:GetDataAccess'],
    resources: ['*'],
  });
  const ofServices = [...services].flatMap(([service, ofService]) => {
    const actions = CATALOG_ACTIONS[service];
    if (actions === undefined) return [];
    return new PolicyStatement({
      sid: `Catalog${service}`,
      actions: [...actions.read, ...(name === 'register' ? actions.write : [])],
      resources: [
        ...new Set(
          ofService.flatMap((entry) => {
            const arn = `arn:${partition}:${service}:${entry.region}:${account}`;
            return service === 'glue' ? glueResources(arn, entry) : tableBucket(arn, entry);
          }),
        ),
      ],
    });
  });
  return vends ? [...ofServices, lakeFormation] : ofServices;
}

/** The database of the namespace and its tables, in the account's default catalog and in the catalogs nested in it. */
function glueResources(arn: string, { namespace }: Entry): readonly string[] {
  const database = namespace.join('.').replaceAll(/\{[^}]*\}/g, '*');
  return [
    ...[`${arn}:catalog`, `${arn}:catalog/*`],
    ...[`${arn}:database/${database}`, `${arn}:database/*/${database}`],
    ...[`${arn}:table/${database}/*`, `${arn}:table/*/${database}/*`],
  ];
}

/** The table bucket whose ARN is `catalog_warehouse`, and its tables. Without an ARN, all table buckets of the account. */
function tableBucket(arn: string, { catalog_warehouse }: Entry): readonly string[] {
  const bucket = catalog_warehouse?.startsWith('arn:') ? catalog_warehouse : `${arn}:bucket/*`;
  return [bucket, `${bucket}/table/*`];
}
