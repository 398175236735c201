import { createHash } from 'node:crypto';
import { RegistrarError } from '../errors.ts';
import type { Quarantine, QuarantineRecord, Random, Store } from '../ports.ts';
import { parseJson, stringifyJson } from '../spec/json.ts';

/**
 * The quarantine as objects below `quarantineUrl`; nothing in it is overwritten (I1). What concerns one segment or one
 * event lies in one folder, the records that answer a failure included:
 *
 *     {table}/{hash(uri, etag)}/{uuid}.json      a failure, and what answers it
 *     _events/{hash(body)}.json                  the first failure of an undecodable event
 *     _events/{hash(body)}/{uuid}.json           its later failures, and what answers them
 */
export function quarantineIn(store: Store, quarantineUrl: string, random: Pick<Random, 'uuid'>): Quarantine {
  const root = quarantineUrl.replace(/\/+$/, '');

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
      for await (const { uri } of store.list(`${folder}/`)) {
        const object = await store.read(uri);
        if (object.kind === 'missing') continue;
        if (object.kind !== 'object') {
          throw new RegistrarError(
            'store.unavailable',
            `Cannot read the quarantine record "${uri}": ${object.kind}`,
          );
        }
        const record = parseRecord(uri, object.bytes);
        if (table === undefined || record.table === table) yield { uri, record };
      }
    },
  };
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
  try {
    return parseJson(Buffer.from(bytes).toString()) as QuarantineRecord;
  } catch (cause) {
    throw new RegistrarError(
      'store.unavailable',
      `Cannot read the quarantine record "${uri}": it is not JSON; move it out of the quarantine`,
      { cause },
    );
  }
}
