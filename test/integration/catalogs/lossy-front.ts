import { type HttpService, type OnRequest, startHttpService } from '../../../local/http-service.ts';

/** A catalog's address at which answers can be lost: `fault` is asked before each request. */
export function startLossyFront(catalogUri: string, fault: OnRequest): Promise<HttpService> {
  return startHttpService(
    async ({ method, path, query, headers, body }) => {
      const { host: _, connection: __, 'content-length': ___, ...sent } = headers;
      const answer = await fetch(`${catalogUri}${path}${query.size > 0 ? `?${query}` : ''}`, {
        method,
        headers: sent as Record<string, string>,
        ...(body.length > 0 && { body }),
      });
      const etag = answer.headers.get('etag');
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json', ...(etag !== null && { etag }) },
        body: await answer.text(),
      };
    },
    { onRequest: fault },
  );
}
