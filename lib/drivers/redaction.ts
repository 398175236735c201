import type { HttpRequest } from './http.ts';
import { formEncoded } from './rest-catalog/form.ts';
import { withoutTokens } from './tokens.ts';

/**
 * Servers quote requests in their errors (F10). Everything that was sent in a header or as a form's secret is removed from their messages, in
 * every spelling that was sent, and so are signatures of URLs (I10).
 */
export function withoutSecrets(
  text: string,
  request: HttpRequest,
  secrets: readonly (string | undefined)[] = [],
): string {
  const sent = Object.entries(request.headers)
    .filter(([name]) => !['accept', 'content-type', 'host', 'user-agent'].includes(name.toLowerCase()))
    .flatMap(([, value]) => value.split(' '));
  const given = secrets.flatMap((secret) =>
    secret === undefined ? [] : [secret, encodeURIComponent(secret), formEncoded(secret)],
  );
  const cleaned = [...sent, ...given]
    .filter((secret) => secret.length >= 4)
    .sort((a, b) => b.length - a.length)
    .reduce((left, secret) => left.replaceAll(secret, '***'), text);
  return withoutTokens(cleaned);
}
