import { type ErrorCode, RegistrarError } from '../errors.ts';
import type { Random, Timers } from '../ports.ts';
import { parseJson } from '../spec/json.ts';
import type { AccessToken } from './google-token.ts';
import { faultText, type HttpExchange, type HttpRequest, type SendHttp } from './http.ts';
import { shortened, withoutTokens } from './tokens.ts';

export interface GoogleApi {
  /** `https://storage.googleapis.com`, or an emulator's. */
  readonly origin: string;
  /** The error code for a call that failed for good. */
  readonly unavailable: Extract<ErrorCode, 'store.unavailable' | 'queue.unavailable'>;
  /** Undefined for an emulator: a token is never sent over plain http (I10). */
  readonly accessToken: AccessToken | undefined;
}

export interface GooglePorts {
  readonly send: SendHttp;
  readonly timers: Timers;
  readonly random: Pick<Random, 'next'>;
}

export type GoogleRequest = Pick<HttpRequest, 'method' | 'path' | 'body'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

type Answer = Extract<HttpExchange, { kind: 'answer' }>;

export type GoogleAnswer = Answer & {
  /** Above 1, the answer may reflect the effect of an earlier attempt. */
  readonly attempts: number;
};

export interface GoogleClient {
  /** Returns any answer. `attempted` completes "Cannot …". @throws the API's `unavailable`, `auth.failed` if no token can be obtained */
  call(attempted: string, request: GoogleRequest): Promise<GoogleAnswer>;
  /** The error for an answer that ends the call: `auth.failed` for refused credentials, else `unavailable`. */
  refused(attempted: string, answer: GoogleAnswer, wayOut?: string): RegistrarError;
}

/** The contents of a Google error; undefined for an answer that Google did not write. */
export interface GoogleFault {
  /** `notFound`, `forbidden` in the older JSON APIs; `NOT_FOUND`, `PERMISSION_DENIED` in the newer ones. */
  readonly reason: string;
  readonly message: string;
}

const MAX_ATTEMPTS = 4;
const FIRST_WAIT_MS = 250;

/**
 * Calls a Google REST API, at most four times while it is unavailable or throttles. Each wait is twice the one before, and half of it is
 * random. A refused token is renewed once. Every call must be repeatable.
 */
export function googleClient(api: GoogleApi, { send, timers, random }: GooglePorts): GoogleClient {
  const { origin, unavailable, accessToken } = api;

  async function authorised(request: GoogleRequest, renew: boolean): Promise<HttpRequest> {
    const authorization =
      accessToken === undefined ? {} : { authorization: `Bearer ${await accessToken({ renew })}` };
    return { ...request, origin, headers: { ...request.headers, ...authorization } };
  }

  return {
    async call(attempted, request) {
      let renewed = false;
      let renew = false;
      for (let attempts = 1; ; attempts += 1) {
        const sent = await authorised(request, renew);
        const exchange = await send(sent);
        renew =
          !renewed && accessToken !== undefined && exchange.kind === 'answer' && exchange.status === 401;
        renewed ||= renew;
        if (attempts < MAX_ATTEMPTS && (renew || isPassing(exchange))) {
          if (!renew) await timers.sleep(FIRST_WAIT_MS * 2 ** (attempts - 1) * (1 - 0.5 * random.next()));
          continue;
        }
        if (exchange.kind === 'answer') return { ...withoutTheToken(exchange, sent), attempts };
        throw new RegistrarError(unavailable, `Cannot ${attempted}: ${faultText(exchange.cause)}`, {
          context: { attempts },
        });
      }
    },

    refused(attempted, answer, wayOut = '') {
      const { status, attempts } = answer;
      const code = status === 401 || status === 403 ? 'auth.failed' : unavailable;
      return new RegistrarError(code, `Cannot ${attempted}: ${answerText(answer)}${wayOut}`, {
        context: { status, fault: googleFault(answer)?.reason, attempts },
      });
    },
  };
}

/** A proxy may quote the request in its refusal, so the token is removed from the text (I10). */
function withoutTheToken(answer: Answer, { headers: { authorization } }: HttpRequest): Answer {
  if (authorization === undefined || answer.status < 400) return answer;
  const token = authorization.slice('Bearer '.length);
  return { ...answer, body: Buffer.from(answer.body.toString().replaceAll(token, '***')) };
}

/** The error object of Google's APIs (AIP-193, and `errors[].reason` of the older ones). */
export function googleFault({ body }: GoogleAnswer): GoogleFault | undefined {
  const error = member(jsonOf(body), 'error');
  const message = member(error, 'message');
  if (typeof message !== 'string') return undefined;
  const errors = member(error, 'errors');
  const reason = member(Array.isArray(errors) ? errors[0] : undefined, 'reason') ?? member(error, 'status');
  return { reason: typeof reason === 'string' ? reason : '', message: shortened(withoutTokens(message)) };
}

/** `403 forbidden: … does not have storage.objects.get access`. Of an answer that Google did not write (a proxy's page), only the status. */
export function answerText(answer: GoogleAnswer): string {
  const fault = googleFault(answer);
  if (fault === undefined) return `${answer.status}, and not in the words of Google`;
  return `${answer.status} ${[fault.reason, fault.message].filter((text) => text !== '').join(': ')}`;
}

/** The body of an answer as JSON; undefined for anything else. */
export function jsonOf(body: Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch {
    return undefined;
  }
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function isPassing(exchange: HttpExchange): boolean {
  if (exchange.kind !== 'answer') return true;
  const { status } = exchange;
  if (status === 408 || status === 429 || status >= 500) return true;
  return status === 403 && slowDown.has(googleFault({ ...exchange, attempts: 1 })?.reason ?? '');
}

/** The reasons with which the older APIs report exceeded limits as 403. */
const slowDown: ReadonlySet<string> = new Set(['rateLimitExceeded', 'userRateLimitExceeded']);
