import type { KnownHistory, LoadedTable } from '../../ports.ts';
import { parseJson } from '../../spec/json.ts';
import { decode, scanObject, valueEnd } from '../../spec/json-members.ts';
import { isObject, texts } from '../../spec/json-object.ts';
import { type MetadataText, scanMetadata } from '../../spec/table-metadata-text.ts';
import type { Reply } from './client.ts';

/** A table, with the parts of the answer that are only meant for the caller. */
export interface TableAnswer {
  readonly table: LoadedTable;
  /** As received: `[{"prefix","config"},…]`, or undefined. */
  readonly storageCredentials: unknown;
  readonly location: string | undefined;
}

/**
 * The table in the answer to a load or commit (`rest-catalog-open-api.yaml`, `LoadTableResult`); undefined for an answer without one. Its
 * metadata, which contains every snapshot, is found in one pass over the bytes and only parsed as a whole if somebody accesses it.
 */
export function readTable(
  { bytes }: Pick<Reply, 'bytes'>,
  { known }: KnownHistory = {},
): TableAnswer | undefined {
  const parts = new Map<string, unknown>();
  let metadataText: MetadataText | undefined;
  try {
    scanObject(bytes, 0, (name, start) => {
      if (name === 'metadata') {
        metadataText = bytes[start] === OPEN_OBJECT ? scanMetadata(bytes, start, known) : undefined;
        if (metadataText !== undefined) return metadataText.span.end;
      }
      const end = valueEnd(bytes, start);
      if (READ.has(name)) parts.set(name, parseJson(decode(bytes, { start, end })));
      return end;
    });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (metadataText === undefined) return undefined;
  const { span, members } = metadataText;
  const metadataLocation = parts.get('metadata-location');
  const config = parts.get('config');
  let metadata: LoadedTable['metadata'] | undefined;
  return {
    table: {
      metadataLocation: typeof metadataLocation === 'string' ? metadataLocation : undefined,
      metadataText,
      get metadata() {
        metadata ??= parseJson(decode(bytes, span)) as LoadedTable['metadata'];
        return metadata;
      },
      config: isObject(config) ? texts({ config }, 'config') : {},
    },
    storageCredentials: parts.get('storage-credentials'),
    get location() {
      const at = members.get('location');
      const location = at && parseJson(decode(bytes, at));
      return typeof location === 'string' ? location : undefined;
    },
  };
}

const READ: ReadonlySet<string> = new Set(['metadata-location', 'config', 'storage-credentials']);
const OPEN_OBJECT = 0x7b;
