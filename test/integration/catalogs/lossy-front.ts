import { request } from 'undici';
import { type HttpService, type OnRequest, startHttpService } from '../../../local/http-service.ts';

/**
 * A catalog's address at which answers can be lost: `fault` is asked before each request, by its path below the catalog's. The host is the
 * one that was called, since Lakekeeper and Nessie want to be called there again.
 */
export async function startLossyFront(catalogUri: string, fault: OnRequest): Promise<HttpService> {
  const { origin, pathname } = new URL(catalogUri);
  const root = pathname === '/' ? '' : pathname;
  const front = await startHttpService(
    async ({ method, path, query, headers, body }) => {
      const { connection: _, 'content-length': __, ...sent } = headers;
      const answer = await request(`${origin}${path}${query.size > 0 ? `?${query}` : ''}`, {
        method,
        headers: sent,
        ...(body.length > 0 && { body }),
      });
      const { etag } = answer.headers;
      return {
        status: answer.statusCode,
        headers: { 'content-type': 'application/json', ...(typeof etag === 'string' && { etag }) },
        body: await answer.body.text(),
      };
    },
    { onRequest: (request) => fault({ ...request, path: request.path.slice(root.length) }) },
  );
  return { ...front, url: `${front.url}${root}` };
}
