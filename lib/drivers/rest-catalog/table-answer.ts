import type { LoadedTable } from '../../ports.ts';
import { parseJson } from '../../spec/json.ts';
import { decode, jsonMembers } from '../../spec/json-members.ts';
import type { Reply } from './client.ts';
import { isRecord } from './outcome.ts';

/**
 * The table in the answer to a load or a commit (`rest-catalog-open-api.yaml`, `LoadTableResult`); undefined for an answer that holds none.
 * Its metadata, which carries every snapshot, stays text until somebody asks for all of it.
 */
export function readTable({ bytes }: Pick<Reply, 'bytes'>): LoadedTable | undefined {
  try {
    const members = jsonMembers(bytes);
    const span = members.get('metadata');
    if (span === undefined || bytes[span.start] !== OPEN_OBJECT) return undefined;
    const part = (name: string): unknown => {
      const at = members.get(name);
      return at === undefined ? undefined : parseJson(decode(bytes, at));
    };
    const location = part('metadata-location');
    const config = part('config');
    let metadata: LoadedTable['metadata'] | undefined;
    return {
      metadataLocation: typeof location === 'string' ? location : undefined,
      metadataText: bytes.subarray(span.start, span.end),
      get metadata() {
        metadata ??= parseJson(decode(bytes, span)) as LoadedTable['metadata'];
        return metadata;
      },
      config: isRecord(config) ? (config as Readonly<Record<string, string>>) : {},
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const OPEN_OBJECT = 0x7b;
