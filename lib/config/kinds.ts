import * as v from 'valibot';
import { plainSpelling } from '../spec/object-uri.ts';
import { placeholderProblem, templateProblem } from '../spec/path-template.ts';

/**
 * The kinds of values that a setting can have. Scalars arrive as text, whether from YAML, the environment or a secret, so that
 * nothing is lost on the way (`0123`, `1e5`, `1.10`). A message states the limit and the way out; path and value are prepended
 * to it.
 */

const string = v.string('must be text');

/** Text that may be empty. */
export const anyText = v.pipe(string, v.metadata({ type: 'text' }));

export const text = v.pipe(string, v.nonEmpty('must not be empty'), v.metadata({ type: 'text' }));

/** Never shown, neither in problems nor in logs (I10). */
export const secret = v.pipe(text, v.metadata({ secret: true }));

export const file = v.pipe(text, v.metadata({ type: 'PEM file or text' }));
export const secretFile = v.pipe(file, v.metadata({ secret: true }));

/** An OAuth2 client ID; empty for catalogs that identify a client by its secret alone (cases.md F6). */
export const clientId = v.pipe(
  string,
  v.check((id) => !id.includes(':'), 'must not contain a colon: it ends the ID in HTTP Basic'),
  v.metadata({ type: 'text' }),
);

export const flag = v.pipe(
  string,
  v.toLowerCase(),
  v.picklist(['true', 'false'], 'must be true or false'),
  v.transform((value) => value === 'true'),
  v.metadata({ type: 'true or false' }),
);

export const choice = <const Choices extends readonly string[]>(...choices: Choices) =>
  v.pipe(
    string,
    v.picklist(choices, `must be one of ${choices.join(', ')}`),
    v.metadata({ type: choices.join(' | ') }),
  );

export const formatVersion = v.pipe(
  string,
  v.transform(Number),
  v.picklist([2, 3], 'must be 2 or 3'),
  v.metadata({ type: '2 | 3' }),
);

/** From 0 to 1. */
export const share = v.pipe(
  string,
  v.check(
    (value) => value.trim() !== '' && Number(value) >= 0 && Number(value) <= 1,
    'must be a number from 0 to 1',
  ),
  v.transform(Number),
  v.metadata({ type: 'number from 0 to 1' }),
);

const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `500ms`, `1s`, `1.5m`, … as milliseconds. */
export const duration = v.pipe(
  string,
  v.regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'must be a duration with its unit: 500ms, 1s, 5m, 2h or 1d'),
  v.transform((value) =>
    Math.round(Number.parseFloat(value) * (MILLISECONDS[value.replace(/[\d.]+/, '')] ?? 1)),
  ),
  v.metadata({ type: 'duration' }),
);

const BYTES: Readonly<Record<string, number>> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** `64MiB` or a number of bytes. */
export const bytes = v.pipe(
  string,
  v.regex(/^[1-9]\d*(KiB|MiB|GiB)?$/, 'must be a size: a number of bytes, or 512KiB, 64MiB, 1GiB'),
  v.transform((value) => Number.parseInt(value, 10) * (BYTES[value.replace(/\d+/, '')] ?? 1)),
  v.metadata({ type: 'size' }),
);

export const httpUrl = v.pipe(
  string,
  v.check(isHttpUrl, 'must be an http:// or https:// URL without user, query and fragment'),
  v.metadata({ type: 'URL' }),
);

/** A queue of SQS by its URL, or a topic of Pub/Sub by its name. */
export const queueName = v.pipe(
  string,
  v.check(
    (name) => isHttpUrl(name) || /^projects\/[^/]+\/topics\/[^/]+$/.test(name),
    'must be the URL of a queue, https://sqs.{region}.amazonaws.com/{account}/{name}, or a topic, projects/{project}/topics/{topic}',
  ),
  v.metadata({ type: 'queue URL or topic' }),
);

/** S3 allows it in a key, but nobody who writes it in a configuration means that. */
const ASTERISK_MESSAGE =
  'must be written without "*": "*" has no special meaning here, url is a prefix, and in a layout a final … matches any rest';

/** `s3://bucket/prefix` without a trailing slash; Hadoop's spellings are normalised. */
export const storeUrl = v.pipe(
  string,
  v.regex(
    /^(s3|s3a|s3n|gs):\/\/[^/]+(\/.*)?$/s,
    'must name a bucket and perhaps a prefix: s3://bucket/prefix or gs://bucket/prefix',
  ),
  v.check(
    (url) => !/^\w+:\/\/arn:/.test(url),
    'must name a bucket as its notifications name it, not by an ARN',
  ),
  v.check(isWithoutAsterisk, ASTERISK_MESSAGE),
  v.transform((url) => plainSpelling(url).replace(/\/$/, '')),
  v.metadata({ type: 'store URL' }),
);

const makesSense = (problemOf: (text: string) => string | undefined) =>
  v.rawCheck<string>(({ dataset, addIssue }) => {
    const problem = dataset.typed ? problemOf(dataset.value) : undefined;
    if (problem !== undefined) addIssue({ message: `must be a template: ${problem}` });
  });

/** `{url}/{pipeline}/{dataset}/…` */
export const layout = v.pipe(
  text,
  v.check(isWithoutAsterisk, ASTERISK_MESSAGE),
  makesSense(templateProblem),
  v.metadata({ type: 'template or shipper' }),
);

/** `{pipeline}_{dataset}` */
export const tableName = v.pipe(text, makesSense(placeholderProblem), v.metadata({ type: 'template' }));

const locationTemplate = v.pipe(
  storeUrl,
  makesSense(templateProblem),
  v.check((location) => !/(…|\.\.\.)$/.test(location), 'must end in the table’s own directory, not in "…"'),
);

/** `s3://lake/tables/{dataset}`, or `catalog` to let the catalog choose. */
export const tableLocation = v.pipe(
  v.lazy((value): v.GenericSchema<string, string> => (value === 'catalog' ? string : locationTemplate)),
  v.metadata({ type: 'template' }),
);

/** A list, or a single item. */
export const list = v.pipe(
  v.union(
    [
      v.array(text),
      v.pipe(
        text,
        v.transform((item) => [item]),
      ),
    ],
    'must be a list of text values',
  ),
  v.metadata({ type: 'list' }),
);

/** `analytics.raw`, or a list of levels. */
export const namespace = v.pipe(
  v.union(
    [
      v.pipe(
        string,
        v.transform((levels) => levels.split('.')),
      ),
      v.array(string),
    ],
    'must be text, its levels separated by dots, or a list of levels',
  ),
  v.check((levels) => levels.length > 0 && !levels.includes(''), 'must not have an empty level'),
  v.metadata({ type: 'list' }),
);

/** `region`, `day(ts)`, `bucket[16](id)`, … */
export const partitionFields = v.pipe(
  list,
  v.checkItems(
    (field) =>
      /^[^()[\]]+$|^((identity|year|month|day|hour)|(bucket|truncate)\[[1-9]\d*\])\([^()]+\)$/.test(field),
    'must be columns or transforms of columns: region, day(ts), bucket[16](id), truncate[4](name)',
  ),
);

const textMap = v.pipe(v.record(string, string, 'must be a map of text values'), v.metadata({ type: 'map' }));

/**
 * Summary entries that a commit writes itself (spec, "Optional Snapshot Summary Fields"); engines and the ledger rely on them.
 */
const OF_THE_COMMIT =
  /^(operation|partition-summaries-included|entries-processed|replace-partitions)$|^(added|deleted|removed|total|changed|manifests)-|^(partitions|iceberg-registrar)\./;

/** Snapshot summary entries that are free for the operator to use. */
export const summaryProperties = leaving(OF_THE_COMMIT, 'the commit');
/** Table properties other than those in which the registrar keeps its own state. */
export const tableProperties = leaving(/^iceberg-registrar\./, 'the registrar');

function leaving(taken: RegExp, owner: string) {
  return v.pipe(
    textMap,
    v.rawCheck(({ dataset, addIssue }) => {
      const names = dataset.typed ? Object.keys(dataset.value).filter((key) => taken.test(key)) : [];
      if (names.length > 0) {
        addIssue({
          message: `must leave ${names.map((key) => `"${key}"`).join(', ')} to ${owner}; use other names`,
        });
      }
    }),
  );
}

function isWithoutAsterisk(value: string): boolean {
  return !value.includes('*');
}

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === ''
  );
}
