import * as v from 'valibot';
import { anyText, secret, text } from './kinds.ts';

/** What an HTTP header can hold (RFC 9110, section 5.5): one line of Latin-1. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const HEADER_MESSAGE = 'must be one line of Latin characters, since it is sent in a header';

/** A secret that is sent in a header. */
export const headerSecret = v.pipe(secret, v.regex(HEADER_VALUE, HEADER_MESSAGE));

/** Headers of HTTP by their names in lower case: a name that is written in two ways would be sent twice. */
export const headers = v.pipe(
  v.record(
    v.pipe(
      text,
      v.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be named by letters, digits and hyphens, as headers are'),
      v.toLowerCase(),
      v.check(
        (name) => !OF_HTTP.has(name),
        ({ input }) => `must leave "${input}" to HTTP`,
      ),
    ),
    v.pipe(anyText, v.regex(HEADER_VALUE, HEADER_MESSAGE)),
    'must be a map of text values',
  ),
  v.metadata({ type: 'map', secret: true }),
);

/** Headers that belong to the connection or are computed from the body. */
const OF_HTTP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);
