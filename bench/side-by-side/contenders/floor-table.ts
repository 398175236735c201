import { randomUUID } from 'node:crypto';
import type { ManifestList } from '../../../lib/append/manifest-list.ts';
import { readManifestList } from '../../../lib/append/manifest-list.ts';
import { newSnapshotId, prepareAppend } from '../../../lib/append/prepare.ts';
import { stageAppend } from '../../../lib/append/stage.ts';
import { assertions } from '../../../lib/commit/assertions.ts';
import { registrationSummary } from '../../../lib/ledger/registration-summary.ts';
import type { Store } from '../../../lib/ports.ts';
import { metricsOf } from '../../../lib/segment/metrics.ts';
import { metricsConfig } from '../../../lib/segment/metrics-config.ts';
import { readFooter } from '../../../lib/segment/read-footer.ts';
import { segmentOf } from '../../../lib/segment/segment.ts';
import { parseJson, stringifyJson } from '../../../lib/spec/json.ts';
import type { DataFile, Metrics } from '../../../lib/spec/manifest.ts';
import { readTableMetadata } from '../../../lib/spec/table-metadata.ts';
import { branchHead, type TableState } from '../../../lib/spec/table-state.ts';
import { NAMESPACE } from '../lakehouse/lakehouse.ts';
import { type Segment, uriOf } from '../lakehouse/segments.ts';

/** What one commit sends, byte for byte. */
export interface CommitBytes {
  /** How many bytes of each segment's end hold its footer. */
  readonly footerBytes: readonly number[];
  readonly manifest: { readonly path: string; readonly bytes: Uint8Array };
  readonly list: { readonly path: string; readonly bytes: Uint8Array };
  readonly body: string;
}

/** A table without other writers, whose state never has to be loaded again. */
export interface FloorTable {
  /** The bytes of the next commit, which is assumed to succeed. */
  next(segments: readonly Segment[]): Promise<CommitBytes>;
}

interface KnownContent {
  readonly metrics: Metrics;
  readonly footerBytes: number;
}

const TRAILER_BYTES = 8;
const READ_AHEAD_BYTES = 64 * 1024;
const random = { uuid: randomUUID };

/** @throws Error when the table cannot be loaded */
export async function openFloorTable(catalogUri: string, name: string, store: Store): Promise<FloorTable> {
  const answer = await fetch(`${catalogUri}/v1/namespaces/${NAMESPACE}/tables/${name}`);
  if (!answer.ok) throw new Error(`Cannot load table "${name}": ${answer.status}`);
  const loaded = parseJson(await answer.text()) as { readonly metadata: Readonly<Record<string, unknown>> };
  const identifier = { namespace: [NAMESPACE], name };
  let state = readTableMetadata(identifier, { metadataLocation: undefined, metadata: loaded.metadata });
  let parentList = await listOf(state, store);
  const contents = new Map<string, KnownContent>();

  return {
    async next(segments) {
      const known = await Promise.all(segments.map((segment) => contentOf(segment)));
      const snapshotId = newSnapshotId(random);
      const schema = state.currentSchema;
      const prepared = prepareAppend({
        state,
        schema,
        dataFiles: segments.map((segment, at) => dataFile(segment, known[at])),
        snapshotId,
        uuid: randomUUID(),
      });
      const ledger = segments.map((segment) => ({ uri: uriOf(segment), etag: segment.etag }));
      const staged = stageAppend({
        state,
        branch: 'main',
        prepared,
        parentList,
        schemaId: schema['schema-id'] ?? 0,
        attempt: 1,
        uuid: randomUUID(),
        timestampMs: BigInt(Date.now()),
        summary: registrationSummary(ledger),
      });
      const requirements = assertions(state, 'main', staged.updates);
      const [manifest] = prepared.manifests;
      if (manifest === undefined) throw new TypeError('an append without a manifest');
      state = after(state, staged.updates);
      parentList = staged.list;
      return {
        footerBytes: known.map(({ footerBytes }) => footerBytes),
        manifest,
        list: { path: staged.listPath, bytes: staged.listBytes },
        body: stringifyJson({ identifier, requirements, updates: staged.updates }),
      };
    },
  };

  /** Segments with equal ETags have equal content. */
  async function contentOf(segment: Segment): Promise<KnownContent> {
    const content = contents.get(segment.etag) ?? (await readContent(segment, state, store));
    contents.set(segment.etag, content);
    return content;
  }
}

async function readContent(segment: Segment, state: TableState, store: Store): Promise<KnownContent> {
  const options = { readAheadBytes: READ_AHEAD_BYTES, maxFooterBytes: READ_AHEAD_BYTES };
  const read = await readFooter(store, uriOf(segment), options);
  if (read.kind !== 'footer') throw new Error(`Cannot read "${uriOf(segment)}": ${read.kind}`);
  const judged = segmentOf({ scheme: 's3', ...segment }, read, {
    formatVersion: 2,
    fieldIds: 'checked',
    caseSensitiveNames: false,
    timestampMillis: 'refuse',
  });
  if (judged === 'empty') throw new Error(`"${uriOf(segment)}" is empty`);
  const config = metricsConfig(state.properties, state.currentSchema, []);
  return {
    metrics: metricsOf(judged, state.currentSchema, config),
    footerBytes: read.bytes.length + TRAILER_BYTES,
  };
}

function dataFile(segment: Segment, known: KnownContent | undefined): DataFile {
  if (known === undefined) throw new TypeError('a segment without content');
  return {
    ...known.metrics,
    filePath: uriOf(segment),
    fileSizeInBytes: BigInt(segment.size),
    specId: 0,
    partition: [],
  };
}

async function listOf(state: TableState, store: Store): Promise<ManifestList | undefined> {
  const path = branchHead(state, 'main')?.manifestList;
  if (path === undefined) return undefined;
  const read = await store.read(path);
  if (read.kind !== 'object') throw new Error(`Cannot read "${path}": ${read.kind}`);
  return readManifestList(read.bytes, path);
}

/** Keeps only the head of the snapshots, which is all that the next commit needs. */
function after(state: TableState, updates: ReturnType<typeof stageAppend>['updates']): TableState {
  const added = updates.find((update) => update.action === 'add-snapshot');
  if (added === undefined) throw new TypeError('an append without a snapshot');
  const { snapshot } = added;
  const snapshotId = snapshot['snapshot-id'];
  const head = {
    snapshotId,
    parentSnapshotId: snapshot['parent-snapshot-id'],
    sequenceNumber: snapshot['sequence-number'],
    timestampMs: snapshot['timestamp-ms'],
    manifestList: snapshot['manifest-list'],
    summary: snapshot.summary,
    schemaId: snapshot['schema-id'],
  };
  return {
    ...state,
    lastSequenceNumber: head.sequenceNumber,
    lastUpdatedMs: head.timestampMs,
    snapshots: new Map([[snapshotId, head]]),
    refs: { main: { type: 'branch', snapshotId } },
  };
}
