/** One call of a catalog's management API, in JSON both ways. @throws Error with what was answered when that is no success */
export async function manage(
  method: 'POST' | 'PUT',
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot ${method} "${url}": ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
