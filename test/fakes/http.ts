import { type HttpRequest, type HttpResponse, startHttpService } from '../../local/http-service.ts';

export interface ScriptedServer {
  readonly url: string;
  /** Every request so far: `GET /v1/config?warehouse=w`. */
  readonly lines: string[];
  readonly requests: HttpRequest[];
  close(): Promise<void>;
}

export type Scripted = HttpResponse | 'reset' | Promise<never>;

/** A server that answers as told, and keeps what it was asked. */
export async function scriptedServer(
  answer: (line: string, request: HttpRequest) => Scripted,
): Promise<ScriptedServer> {
  const lines: string[] = [];
  const requests: HttpRequest[] = [];
  const service = await startHttpService(() => ({ status: 500 }), {
    onRequest: async (request) => {
      const query = request.query.size > 0 ? `?${request.query}` : '';
      const line = `${request.method} ${request.path}${query}`;
      lines.push(line);
      requests.push(request);
      return { when: 'before', answer: await answer(line, request) };
    },
  });
  return { ...service, lines, requests };
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}
