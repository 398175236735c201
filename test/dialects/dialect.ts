import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import { handleCatalog } from '../../local/catalog/catalog-service.ts';
import type { TableMetadata } from '../../local/catalog/table-metadata.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type HttpService,
  type OnRequest,
  startHttpService,
} from '../../local/http-service.ts';
import type { Stack } from '../../local/stack.ts';

/** Answers a request as some catalog would. */
export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export type Settings = Readonly<Record<string, unknown>>;
export type Json = Readonly<Record<string, unknown>>;

/** What a quirk may look at. */
export interface DialectWorld {
  readonly stack: Stack;
  /** Whatever a quirk wants the story to see at its end. */
  readonly seen: Map<string, number>;
  /** What happens to the next request that it answers for. */
  fault?: OnRequest | undefined;
}

/** One way in which a catalog differs from the plain protocol. */
export interface Quirk {
  readonly title: string;
  /** Where it was read: `facts` of the catalog's own sources, documents, or issue threads of its clients. */
  readonly source: string;
  /** The catalog's behaviour, around the rest of it; paths are the ones after the catalog's root and prefix. */
  serve(next: Handler, world: DialectWorld): Handler;
  /** Its refusal of a request as it arrived, before anything is taken from its path. */
  arrive?(request: HttpRequest): HttpResponse | undefined;
  /** A registrar that does not know the quirk; absent where it can only be met, not prepared for. */
  readonly without?: Ignorance;
}

/** What not knowing a quirk comes to: other settings, other requests, or an answer that is taken for another. */
export interface Ignorance {
  readonly settings?: Settings;
  readonly request?: (request: HttpRequest) => HttpRequest;
  readonly answer?: (answer: HttpResponse) => HttpResponse;
}

export interface Dialect {
  readonly name: string;
  /** What stands before `/v1/config`. */
  readonly root: string;
  /** What stands before every other path. @default root */
  readonly home?: string;
  readonly settings: Settings;
  /** `GET /v1/config`; the prefix is what paths begin with after `/v1/`, as it is sent. */
  readonly config: { readonly prefix?: string; readonly answer: Json };
  readonly quirks: readonly Quirk[];
  /** What the whole story must have shown beside its own end. */
  readonly shows?: readonly string[];
  /** How it ends where a table of such a catalog can hold no file of others; absent: it registers. */
  readonly refuses?: { readonly code: string; readonly message: RegExp };
}

/** The dialect as a service over the stack's tables, spoken to by a registrar that knows all of it or not. */
export function startDialect(
  dialect: Dialect,
  world: DialectWorld,
  { request: changed = (request) => request, answer: taken = (answer) => answer }: Ignorance = {},
): Promise<HttpService> {
  const { root, home = root, config, quirks } = dialect;
  const base = config.prefix === undefined ? '/v1/' : `/v1/${config.prefix}/`;
  const embedded: Handler = (request) => {
    if (request.path === '/v1/config') return json(200, config.answer);
    if (!request.path.startsWith('/v1/')) return failure(404, 'NotFoundException', 'no such path');
    return handleCatalog(world.stack.tables, {}, request);
  };
  const quirky = quirks.reduceRight<Handler>((next, quirk) => quirk.serve(next, world), embedded);
  const answer: Handler = (request) => {
    const refusal = quirks.map((quirk) => quirk.arrive?.(request)).find((one) => one !== undefined);
    if (refusal !== undefined) return refusal;
    const asked = [`${root}/v1/config`, `${root}/v1/oauth/tokens`].find((path) => path === request.path);
    if (asked !== undefined) return quirky({ ...request, path: asked.slice(root.length) });
    const path = request.path.startsWith(home + base) ? request.path.slice((home + base).length) : undefined;
    if (path === undefined) return failure(404, 'NotFoundException', `no such path: ${request.path}`);
    return quirky({ ...request, path: `/v1/${path}` });
  };
  return startHttpService(async (request) => taken(await answer(changed(request))), {
    onRequest: (request) => world.fault?.(request),
  });
}

export function json(
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: stringifyJson(body) };
}

/** An error in the words of the REST specification. */
export function failure(status: number, type: string, message: string): HttpResponse {
  return json(status, { error: { message, type, code: status } });
}

export function bodyOf({ body }: { readonly body?: string | Uint8Array }): Json {
  const text = Buffer.from(body ?? '').toString();
  return text === '' ? {} : (parseJson(text) as Json);
}

export function withBody(request: HttpRequest, body: Json): HttpRequest {
  return { ...request, body: Buffer.from(stringifyJson(body)) };
}

export type Kind = 'config' | 'token' | 'create' | 'register' | 'load' | 'commit' | 'other';

/** What a request asks for. */
export function kindOf({ method, path }: HttpRequest): Kind {
  if (path === '/v1/config') return 'config';
  if (path === '/v1/oauth/tokens') return 'token';
  if (/\/register$/.test(path)) return 'register';
  if (/\/tables$/.test(path) && method === 'POST') return 'create';
  if (/\/tables\/[^/]+$/.test(path)) return method === 'POST' ? 'commit' : 'load';
  return 'other';
}

/** The updates of a commit with that action. */
export function updatesOf(body: Json, action: string): readonly Json[] {
  return ((body['updates'] ?? []) as readonly Json[]).filter((update) => update['action'] === action);
}

/** The table that a path names, as it is in the catalog. */
export function tableAt({ path }: HttpRequest, { stack }: DialectWorld): TableMetadata {
  const [, namespace = '', name = ''] = /^\/v1\/namespaces\/([^/]+)\/tables\/([^/]+)$/.exec(path) ?? [];
  const table = { namespace: [decodeURIComponent(namespace)], name: decodeURIComponent(name) };
  return stack.tables.load(table).metadata;
}

/** Whether a commit makes a table. */
export function isCreation(body: Json): boolean {
  return ((body['requirements'] ?? []) as readonly Json[]).some(({ type }) => type === 'assert-create');
}
