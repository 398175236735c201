import type { LimitFunction } from 'p-limit';
import { RegistrarError } from '../../errors.ts';
import { type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { Store } from '../../ports.ts';
import type { IgnoredReason } from '../../report/outcome.ts';
import { type FooterRead, readFooter } from '../../segment/read-footer.ts';
import { ofSegment } from './decoded-segment.ts';

/** A segment as read from the store, before anything is judged. */
export interface SegmentRead {
  readonly reference: SegmentReference;
  readonly uri: string;
  readonly read: FooterRead;
}

export interface FootersRead {
  /** In the order of the references, each key once. */
  readonly segments: readonly SegmentRead[];
  readonly ignored: ReadonlyMap<string, IgnoredReason>;
  /** Segments that no table could take. */
  readonly condemned: ReadonlyMap<string, RegistrarError>;
  /** Segments left for a next round, because their footers did not fit in memory with the others'. */
  readonly postponed: ReadonlySet<string>;
}

export interface FooterLimits {
  readonly readAheadBytes: number;
  readonly maxFooterBytes: number;
  readonly concurrently: LimitFunction;
  /** @default there is always room */
  readonly hasRoom?: (footerBytes: number) => boolean;
  /** Whether the round or its time has ended: reads that are still waiting are then not started. */
  readonly isOver?: () => boolean;
  /** Called with each footer while others are still being read. */
  readonly arrived?: ((segment: SegmentRead) => void) | undefined;
}

/** How often to read an object again that is replaced between the two requests for its footer. */
const MAX_READS = 3;

/** Reads the footers of a batch, each key once, several at a time. @throws `store.unavailable`, `auth.failed` */
export async function readFooters(
  store: Pick<Store, 'read'>,
  references: readonly SegmentReference[],
  limits: FooterLimits,
): Promise<FootersRead> {
  const byUri = Map.groupBy(references, segmentUri);
  const lastOf = new Map(references.map((reference) => [segmentUri(reference), reference]));
  const answers = await Promise.all(
    [...lastOf].map(([uri, last]) =>
      limits.concurrently(async () => {
        return [uri, await readOne(store, asOne(byUri.get(uri) ?? [], last), limits)] as const;
      }),
    ),
  );
  const segments: SegmentRead[] = [];
  const ignored = new Map<string, IgnoredReason>();
  const condemned = new Map<string, RegistrarError>();
  const postponed = new Set<string>();
  for (const [uri, answer] of answers) {
    if (answer === 'postponed') postponed.add(uri);
    else if (answer === 'missing') ignored.set(uri, 'missing');
    else if (answer instanceof RegistrarError) condemned.set(uri, answer);
    else segments.push(answer);
  }
  return { segments, ignored, condemned, postponed };
}

/** Merges what several notifications say about one key: a copy flag and a redrive's proof hold whichever brought them. */
function asOne(named: readonly SegmentReference[], last: SegmentReference): SegmentReference {
  const copied = named.some((reference) => reference.copied === true);
  const absentAt = named.find((reference) => reference.absentAt !== undefined)?.absentAt;
  return { ...last, ...(copied && { copied }), ...(absentAt !== undefined && { absentAt }) };
}

async function readOne(
  store: Pick<Store, 'read'>,
  reference: SegmentReference,
  limits: FooterLimits,
): Promise<SegmentRead | RegistrarError | 'missing' | 'postponed'> {
  const uri = segmentUri(reference);
  if (UNOPENABLE.test(reference.key)) return unopenable(uri);
  if (limits.isOver?.() === true) {
    throw new RegistrarError(
      'invocation.timeout',
      `Cannot read the footer of "${uri}" within the time of this invocation: it is delivered again`,
      { context: { uri } },
    );
  }
  try {
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const read = await readFooter(store, uri, limits);
      if (read.kind === 'footer') {
        const segment = { reference, uri, read };
        limits.arrived?.(segment);
        return segment;
      }
      if (read.kind === 'missing' || read.kind === 'postponed') return read.kind;
      if (read.kind === 'denied') return denied(uri, read.message);
    }
  } catch (error) {
    return ofSegment(error);
  }
  throw new RegistrarError(
    'store.unavailable',
    `Cannot read the footer of "${uri}": the object was replaced during each of ${MAX_READS} reads; it is delivered again`,
    { context: { uri } },
  );
}

/**
 * What Java's `S3URI` and `GCSLocation` cannot have in a path, so that every scan of the table would fail: where they and PyIceberg take it to end, and
 * a second "://".
 */
const UNOPENABLE = /[?#]|:\/\//;

function unopenable(uri: string): RegistrarError {
  return new RegistrarError(
    'segment.unreadable',
    `Cannot register "${uri}": its key has a "?", "#" or "://", at which Iceberg's readers divide a path, so that they would look for another object or none; upload it under a key without`,
    { context: { uri } },
  );
}

function denied(uri: string, message: string): RegistrarError {
  return new RegistrarError(
    'segment.denied',
    `Cannot read the segment "${uri}": the store denies it ("${message}"); allow the function to read it (s3:GetObject; storage.objects.get on Google Cloud), then redrive`,
    { context: { uri } },
  );
}
