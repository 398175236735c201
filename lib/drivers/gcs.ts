import type { StoreSettings } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';
import type { ByteRange, ListedObject, ReadResult, Store } from '../ports.ts';
import { isPlainHttp, withoutEndSlashes } from '../spec/object-uri.ts';
import {
  answerText,
  type GoogleAnswer,
  type GoogleClient,
  type GooglePorts,
  googleClient,
  googleFault,
  jsonOf,
  member,
} from './google-client.ts';
import type { AccessToken } from './google-token.ts';
import { ownOrExisting } from './own-write.ts';
import { rangeHeader, wholeOrPart } from './ranged-body.ts';

const ORIGIN = 'https://storage.googleapis.com';

export interface GcsPorts extends GooglePorts {
  readonly accessToken: AccessToken;
}

/**
 * A store on Google Cloud Storage, through its JSON API. Versions are generations; the time of an object is the creation time of its
 * generation. A `store.endpoint` with http:// is an emulator, to which no token is sent.
 */
export function gcsStore(settings: StoreSettings, ports: GcsPorts): Store {
  const client = gcsClient(settings, ports);

  async function read(
    uri: string,
    { range, ifVersion }: { readonly range?: ByteRange; readonly ifVersion?: string } = {},
  ): Promise<ReadResult> {
    const attempted = `read "${uri}"`;
    const answer = await client.call(attempted, {
      method: 'GET',
      path: objectPath(uri, {
        alt: 'media',
        ...(ifVersion !== undefined && { ifGenerationMatch: ifVersion }),
      }),
      // Without this header, gzipped objects are unpacked by the server and ranges are ignored.
      headers: { 'accept-encoding': 'gzip', ...(range !== undefined && { range: rangeHeader(range) }) },
    });
    switch (answer.status) {
      case 200:
      case 206: {
        const version = headerOf(uri, answer, 'x-goog-generation');
        if (ifVersion !== undefined && version !== ifVersion) return { kind: 'changed' };
        const part = wholeOrPart(uri, range, answer.body, answer.headers['content-range']);
        return { kind: 'object', ...part, version, lastModifiedMs: await createdMs(uri, version, answer) };
      }
      case 416:
        return readNothing(uri, range, ifVersion);
      case 412:
        return { kind: 'changed' };
      case 404:
        await bucketIsThere(uri);
        return { kind: 'missing' };
      case 403:
        // Everything else concerns the caller: an account without billing, a token without the scope.
        if (googleFault(answer)?.reason === 'forbidden')
          return { kind: 'denied', message: answerText(answer) };
    }
    throw client.refused(attempted, answer);
  }

  /** For a range that begins at the object's end, as every range of an empty object does. */
  async function readNothing(
    uri: string,
    range: ByteRange | undefined,
    ifVersion: string | undefined,
  ): Promise<ReadResult> {
    const attempted = `read "${uri}"`;
    const answer = await client.call(attempted, { method: 'GET', path: objectPath(uri, { fields: FIELDS }) });
    if (answer.status !== 200) throw client.refused(attempted, answer);
    const { sizeBytes, version, lastModifiedMs } = resourceOf(uri, jsonOf(answer.body));
    if (ifVersion !== undefined && version !== ifVersion) return { kind: 'changed' };
    if (sizeBytes > 0 && range !== undefined && 'suffix' in range) {
      throw new RegistrarError(
        'store.unavailable',
        `Cannot ${attempted}: the store has no last ${range.suffix} bytes of an object of ${sizeBytes}; it is read again`,
      );
    }
    return { kind: 'object', bytes: new Uint8Array(), sizeBytes, version, lastModifiedMs };
  }

  /** The time of Last-Modified; if a change of metadata may have moved it, the creation time from the object's resource. */
  async function createdMs(uri: string, generation: string, answer: GoogleAnswer): Promise<number> {
    if ((answer.headers['x-goog-metageneration'] ?? '1') === '1') {
      return timeOf(uri, headerOf(uri, answer, 'last-modified'));
    }
    const attempted = `read when "${uri}" was created`;
    const path = objectPath(uri, { generation, fields: FIELDS });
    const found = await client.call(attempted, { method: 'GET', path });
    if (found.status !== 200) throw client.refused(attempted, found);
    return resourceOf(uri, jsonOf(found.body)).lastModifiedMs;
  }

  /** Cloud Storage answers 404 for a missing bucket too, which must not count as a missing object (I3). */
  async function bucketIsThere(uri: string): Promise<void> {
    const { bucket } = parseGcsUri(uri);
    const attempted = `look into the bucket "${bucket}"`;
    const path = `/storage/v1/b/${encodeURIComponent(bucket)}/o?${query({ maxResults: '1', fields: 'kind' })}`;
    const answer = await client.call(attempted, { method: 'GET', path });
    if (answer.status === 200) return;
    throw client.refused(
      attempted,
      answer,
      answer.status === 404 ? '; create the bucket or correct the URL' : '',
    );
  }

  async function write(uri: string, bytes: Uint8Array, options: { readonly ifAbsent?: boolean } = {}) {
    const { bucket, key } = parseGcsUri(uri);
    const attempted = `write "${uri}"`;
    const parameters = query({
      uploadType: 'media',
      name: key,
      ...(options.ifAbsent && { ifGenerationMatch: '0' }),
      ...(settings.kms_key_id !== undefined && { kmsKeyName: settings.kms_key_id }),
      fields: 'generation',
    });
    const answer = await client.call(attempted, {
      method: 'POST',
      path: `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o?${parameters}`,
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    });
    if (answer.status === 200) {
      return { kind: 'written', version: textOf(uri, jsonOf(answer.body), 'generation') } as const;
    }
    if (options.ifAbsent && answer.status === 412)
      return ownOrExisting(bytes, answer.attempts, () => read(uri));
    throw client.refused(attempted, answer);
  }

  async function* list(
    prefix: string,
    { startAfter }: { readonly startAfter?: string } = {},
  ): AsyncGenerator<ListedObject> {
    const { bucket, key } = parseGcsUri(prefix);
    const after = startAfter === undefined ? undefined : parseGcsUri(startAfter).key;
    const attempted = `list "${prefix}"`;
    let pageToken: unknown;
    do {
      const parameters = query({
        prefix: key,
        ...(after !== undefined && { startOffset: after }),
        ...(typeof pageToken === 'string' && { pageToken }),
        maxResults: '1000',
        fields: 'items(name,size,generation,timeCreated),nextPageToken',
      });
      const path = `/storage/v1/b/${encodeURIComponent(bucket)}/o?${parameters}`;
      const answer = await client.call(attempted, { method: 'GET', path });
      if (answer.status !== 200) throw client.refused(attempted, answer);
      const page = jsonOf(answer.body);
      const items = member(page, 'items') ?? [];
      for (const item of Array.isArray(items) ? items : []) {
        const name = textOf(prefix, item, 'name');
        // The listing begins with the offset itself, if that exists.
        if (name === after) continue;
        const uri = `gs://${bucket}/${name}`;
        yield { uri, ...resourceOf(uri, item) };
      }
      pageToken = member(page, 'nextPageToken');
    } while (typeof pageToken === 'string' && pageToken !== '');
  }

  return { read, write, list };
}

export function gcsClient({ endpoint }: StoreSettings, ports: GcsPorts): GoogleClient {
  const origin = withoutEndSlashes(endpoint ?? ORIGIN);
  const accessToken = isPlainHttp(origin) ? undefined : ports.accessToken;
  return googleClient({ origin, unavailable: 'store.unavailable', accessToken }, ports);
}

const FIELDS = 'size,generation,timeCreated';

/** Bucket and raw key of `gs://bucket/key`, which may also be spelled `gcs://`. */
function parseGcsUri(uri: string): { readonly bucket: string; readonly key: string } {
  const [, bucket, key = ''] = /^gc?s:\/\/([^/]+)(?:\/(.*))?$/s.exec(uri) ?? [];
  if (bucket !== undefined) return { bucket, key };
  throw new RegistrarError(
    'config.invalid',
    `Cannot use "${uri}" as a URI of Cloud Storage: it must read gs://bucket/key`,
  );
}

function objectPath(uri: string, parameters: Readonly<Record<string, string>>): string {
  const { bucket, key } = parseGcsUri(uri);
  return `/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(key)}?${query(parameters)}`;
}

function query(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

/** An object, from its resource in the JSON API. */
function resourceOf(uri: string, resource: unknown): Omit<ListedObject, 'uri'> {
  return {
    sizeBytes: Number(textOf(uri, resource, 'size')),
    version: textOf(uri, resource, 'generation'),
    lastModifiedMs: timeOf(uri, textOf(uri, resource, 'timeCreated')),
  };
}

function textOf(uri: string, resource: unknown, name: string): string {
  const value = member(resource, name);
  if (typeof value === 'string') return value;
  throw unusable(uri, `no ${name}`);
}

function headerOf(uri: string, { headers }: GoogleAnswer, name: string): string {
  const value = headers[name];
  if (typeof value === 'string') return value;
  throw unusable(uri, `no ${name}`);
}

function timeOf(uri: string, text: string): number {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  throw unusable(uri, `"${text}" as its time`);
}

function unusable(uri: string, answered: string): RegistrarError {
  return new RegistrarError(
    'store.unavailable',
    `Cannot use "${uri}": the store answered ${answered} for it`,
  );
}
