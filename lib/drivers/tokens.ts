/** Words joined by dots, found from their beginning: to try every hyphen as the beginning of a JWT would take quadratic time. */
const DOTTED = /(?<![\w-])[\w-]+\.[\w-]+(?:\.[\w-]*)?/g;

function withoutJwt(dotted: string): string {
  const at = dotted.search(/\beyJ[\w-]{8,}\./);
  return at < 0 ? dotted : `${dotted.slice(0, at)}***`;
}

/** The beginning of a text, for a message. */
export function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

const MOST_CHARACTERS = 500;

/**
 * Removes from a server's text everything that looks like a secret, whoever sent it: signatures of URLs, secrets in OAuth forms and answers,
 * JWTs, and base64 so long that it can only be a session token (I10).
 */
export function withoutTokens(text: string): string {
  return text
    .replaceAll(/(X-Amz-(?:Credential|Security-Token|Signature)=)[^&\s"']+/gi, '$1***')
    .replaceAll(
      /((?:access|refresh|id|subject|actor)_token|client_secret|assertion)(=|\\?["']\s*:\s*\\?["'])[^\s"'&\\]+/gi,
      '$1$2***',
    )
    .replaceAll(DOTTED, withoutJwt)
    .replaceAll(/[A-Za-z0-9+/=_%-]{200,}/g, '***');
}
