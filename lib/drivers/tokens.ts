/**
 * A server's words without what gives itself away as a token, whoever sent it: the signatures of URLs, the secrets of OAuth's forms and
 * answers, JWTs, and runs of base64 so long that only session tokens are (I10).
 */
export function withoutTokens(text: string): string {
  return text
    .replaceAll(/(X-Amz-(?:Credential|Security-Token|Signature)=)[^&\s"']+/gi, '$1***')
    .replaceAll(
      /((?:access|refresh|id|subject|actor)_token|client_secret|assertion)(=|\\?["']\s*:\s*\\?["'])[^\s"'&\\]+/gi,
      '$1$2***',
    )
    .replaceAll(/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, '***')
    .replaceAll(/[A-Za-z0-9+/=_%-]{200,}/g, '***');
}
