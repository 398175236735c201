/**
 * The secrets of the tests have a form that is found nowhere else, `right-token`, `local-secret`, `planted.oauth.token`, so that whatever comes out of the
 * registrar can be searched for all of them at once (I10). planted-secrets.test.ts finds those that are of another form.
 */
const FORM =
  /\b(?!(?:client|access|security|session|next|bearer|identity|refresh)-(?:secret|token))[a-z0-9$+]+-(?:secret|token|session|password)\b|\bvery-secret-|\btoken-\d+\b|\bplanted(?:[-./]|%2f|(?:[ +]|%20)client)|\bhunter2\b|\bhush\b|EXAMPLEKEY/i;

/** What gives itself away as a secret, whoever made it: session tokens of AWS, JWTs, keys, headers of `Authorization`. */
const GIVEAWAY =
  /\bIQoJ[\w+/]{8}|\beyJ[\w-]{8,}\.eyJ|-----BEGIN [A-Z ]*PRIVATE KEY|\bBearer (?!\*)[\w+/=.-]{4}|\bBasic (?!\*)[\w+/]{8}/;

const BASE64 = /[A-Za-z0-9+/_-]{12,}/g;

/** The first secret in a text, as it is, as a URL or a form has it, or in Base64; undefined when there is none. */
export function secretIn(text: string): string | undefined {
  const plain = FORM.exec(text) ?? GIVEAWAY.exec(text);
  if (plain !== null) return plain[0];
  for (const [run] of text.matchAll(BASE64)) {
    const inside = FORM.exec(Buffer.from(run, 'base64').toString('latin1'));
    if (inside !== null) return `${inside[0]} in Base64`;
  }
  return undefined;
}
