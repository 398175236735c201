import { createHash } from 'node:crypto';
import { RegistrarError } from '../errors.ts';
import type { ListedObject, Quarantine, QuarantineRecord, Random, Store } from '../ports.ts';
import { parseJson, stringifyJson } from '../spec/json.ts';
import { withoutEndSlashes } from '../spec/object-uri.ts';

const CONCURRENT_READS = 16;

/**
 * The quarantine: objects below `quarantineUrl` that are never overwritten (I1). All records of one segment or event, including the answers
 * to a failure, lie in one folder:
 *
 *     {table}/{hash(uri, etag)}/{uuid}.json      a failure, or the answer to one
 *     _events/{hash(body)}.json                  the first failure of an undecodable event
 *     _events/{hash(body)}/{uuid}.json           its later failures, and answers
 */
export function quarantineIn(store: Store, quarantineUrl: string, random: Pick<Random, 'uuid'>): Quarantine {
  const root = withoutEndSlashes(quarantineUrl);

  /** Undefined if the record was deleted after it was listed. */
  async function read(uri: string) {
    const object = await store.read(uri);
    if (object.kind === 'missing') return undefined;
    if (object.kind === 'object') return { uri, record: parseRecord(uri, object.bytes) };
    throw new RegistrarError(
      'store.unavailable',
      `Cannot read the quarantine record "${uri}": ${object.kind}`,
    );
  }

  return {
    async put(record) {
      const folder = folderOf(root, record);
      const bytes = Buffer.from(stringifyJson(record));
      if (record.kind === 'failure' && record.body !== undefined) {
        const first = await store.write(`${folder}.json`, bytes, { ifAbsent: true });
        if (first.kind === 'written') return `${folder}.json`;
      }
      const uri = `${folder}/${random.uuid()}.json`;
      await store.write(uri, bytes, { ifAbsent: true });
      return uri;
    },

    async *list(options = {}) {
      const { table, segment } = options;
      const folder =
        segment !== undefined && table !== undefined
          ? subjectFolder(root, { table, segment })
          : `${root}${table === undefined ? '' : `/${table}`}`;
      for await (const uris of pages(store.list(`${folder}/`))) {
        for (const found of await Promise.all(uris.map(read))) {
          if (found !== undefined && (table === undefined || found.record.table === table)) yield found;
        }
      }
    },
  };
}

async function* pages(objects: AsyncIterable<ListedObject>): AsyncGenerator<readonly string[]> {
  let page: string[] = [];
  for await (const { uri } of objects) {
    // Consoles leave empty objects as folders.
    if (!uri.endsWith('.json')) continue;
    page.push(uri);
    if (page.length < CONCURRENT_READS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function folderOf(root: string, record: QuarantineRecord): string {
  if (record.answers?.startsWith(`${root}/_events/`)) {
    const [hash = ''] = record.answers.slice(`${root}/_events/`.length).split(/[./]/);
    return `${root}/_events/${hash}`;
  }
  if (record.answers !== undefined) return record.answers.slice(0, record.answers.lastIndexOf('/'));
  return subjectFolder(root, record);
}

function subjectFolder(root: string, record: Pick<QuarantineRecord, 'table' | 'segment' | 'body'>): string {
  const { segment } = record;
  const subject = segment === undefined ? (record.body ?? '') : `${segment.uri}#${segment.etag ?? ''}`;
  return `${root}/${record.table ?? '_events'}/${sha256(subject)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function parseRecord(uri: string, bytes: Uint8Array): QuarantineRecord {
  const refuse = (what: string, cause?: unknown): RegistrarError =>
    new RegistrarError(
      'store.unavailable',
      `Cannot read the quarantine record "${uri}": it is not ${what}; move it out of the quarantine`,
      { cause },
    );
  let record: unknown;
  try {
    record = parseJson(Buffer.from(bytes).toString());
  } catch (cause) {
    throw refuse('JSON', cause);
  }
  if (!isRecord(record)) throw refuse('one of ours');
  return record;
}

function isRecord(value: unknown): value is QuarantineRecord {
  const { kind, at } = (value ?? {}) as Partial<Record<keyof QuarantineRecord, unknown>>;
  return typeof kind === 'string' && typeof at === 'string';
}
