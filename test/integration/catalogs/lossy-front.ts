import { type HttpService, type OnRequest, startHttpService } from '../../../local/http-service.ts';

/** A catalog's address at which answers can be lost: `fault` is asked before each request, by its path below the catalog's. */
export async function startLossyFront(catalogUri: string, fault: OnRequest): Promise<HttpService> {
  const { origin, pathname } = new URL(catalogUri);
  const root = pathname === '/' ? '' : pathname;
  const front = await startHttpService(
    async ({ method, path, query, headers, body }) => {
      const { host, connection: _, 'content-length': __, ...sent } = headers;
      // As proxies have it: Lakekeeper wants to be called where it was called.
      const forwarded = { 'x-forwarded-host': host, 'x-forwarded-proto': 'http' };
      const answer = await fetch(`${origin}${path}${query.size > 0 ? `?${query}` : ''}`, {
        method,
        headers: { ...sent, ...forwarded } as Record<string, string>,
        ...(body.length > 0 && { body }),
      });
      const etag = answer.headers.get('etag');
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json', ...(etag !== null && { etag }) },
        body: await answer.text(),
      };
    },
    { onRequest: (request) => fault({ ...request, path: request.path.slice(root.length) }) },
  );
  return { ...front, url: `${front.url}${root}` };
}
