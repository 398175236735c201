import { parseJson } from '../../spec/json.ts';
import { isObject } from '../../spec/json-object.ts';
import type { HttpExchange } from '../http.ts';
import { shortened } from '../tokens.ts';

type HttpAnswer = Extract<HttpExchange, { kind: 'answer' }>;

/** The meaning of an answer. This is the only place that interprets status codes. */
export type Outcome =
  | 'ok'
  /** 304: the earlier answer is still current. */
  | 'unchanged'
  | 'conflict'
  | 'invalid'
  | 'missing'
  | 'unauthenticated'
  | 'forbidden'
  | 'throttled'
  /** The request did not reach a catalog: a redirect, or a 404 that no catalog wrote. */
  | 'misdirected'
  /** The request may have taken effect, or may still do so (I7). */
  | 'unknown';

/** The outcome of one answer (REST OpenAPI, `updateTable`; Java's `ErrorHandlers` agrees; cases D1, D7, D8, F3, F14). */
export function outcomeOf(answer: HttpAnswer): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return 'ok';
  if (status === 304) return 'unchanged';
  if (status >= 500 || status < 300 || status === 408) return 'unknown';
  if (status < 400) return 'misdirected';
  const type = errorType(answer);
  if (throttlingTypes.has(type)) return 'throttled';
  if (type === 'CommitFailedException') return 'conflict';
  switch (status) {
    case 401:
    case 419:
      return 'unauthenticated';
    case 403:
      return 'forbidden';
    case 404:
      return isObject(readBody(answer.body)) ? 'missing' : 'misdirected';
    case 409:
      return 'conflict';
    case 429:
      return 'throttled';
    default:
      return 'invalid';
  }
}

/** AWS throttles with 400 or 403, and only these error types tell (apache/iceberg#17824). */
const throttlingTypes: ReadonlySet<string> = new Set([
  'LimitExceededException',
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

function errorType(answer: HttpAnswer): string {
  const header = answer.headers['x-amzn-errortype'];
  if (typeof header === 'string') return header.replace(/:.*$/s, '').replace(/^.*#/s, '');
  const body = readBody(answer.body);
  const error = isObject(body) ? body['error'] : undefined;
  return isObject(error) && typeof error['type'] === 'string' ? error['type'] : '';
}

/** The body as JSON; undefined for HTML from a proxy or an empty body from a rate limiter (D8). */
export function readBody(body: string | Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch {
    return undefined;
  }
}

/**
 * The server's message: Iceberg's `error.message`, OAuth's `error_description`, AWS's `message`, else the start of the body.
 *
 * @param clean removes secrets before the message is cut, since even half a secret is one
 */
export function errorText(answer: HttpAnswer, clean: (text: string) => string): string {
  const body = readBody(answer.body);
  const error = isObject(body) ? body['error'] : undefined;
  const words = isObject(error)
    ? [error['type'], error['message']]
    : isObject(body)
      ? [error, body['error_description'], body['message']]
      : [
          answer.body
            .toString()
            // A tag also ends where the next one begins; otherwise a million unclosed tags would each be scanned to the end.
            .replaceAll(/<[^<>]*>|\s+/g, ' ')
            .trim(),
        ];
  const text = clean(words.filter((word) => typeof word === 'string' && word !== '').join(': '));
  return `${answer.status}${text === '' ? '' : ` ${shortened(text)}`}`;
}

/** The wait in milliseconds that `Retry-After` asks for, in seconds or as a date. */
export function retryAfterMs(answer: HttpAnswer, nowMs: number): number | undefined {
  const value = answer.headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  const isDate = /^[A-Z][a-z]{2}/.test(value);
  const ms = isDate
    ? Date.parse(value) - nowMs
    : /^\d+(\.\d+)?$/.test(value)
      ? Number(value) * 1000
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
