import { onTestFinished } from 'vitest';
import type { Authorization } from '../../../lib/drivers/rest-catalog/authorization.ts';
import { type RestCatalogSettings, restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import type { HttpRequest } from '../../../local/http-service.ts';
import { json, type Scripted, scriptedServer } from '../../fakes/http.ts';
import { seededRandom } from '../../fakes/random.ts';

/** What the scripted catalog answers where a test says nothing else. */
export const loadedTable = {
  'metadata-location': 's3://lake/t/1.metadata.json',
  metadata: { 'format-version': 2 },
};

/** An error in the words of the REST specification. */
export function failure(status: number, message = 'told') {
  return json(status, { error: { message, type: 'SomeException', code: status } });
}

export interface ScriptedCatalog {
  /** Answers a request, `GET /v1/config`; undefined: an empty configuration, or a loaded table. */
  readonly answer?: (line: string, request: HttpRequest) => Scripted | undefined;
  readonly settings?: Partial<RestCatalogSettings>;
  /** What follows the server's address in `catalog_uri`. */
  readonly path?: string;
  readonly authorization?: Authorization;
}

/** The driver on a scripted server, with timers that only note how long they should have slept. */
export async function scriptedCatalog({ answer, settings, path = '', authorization }: ScriptedCatalog = {}) {
  const server = await scriptedServer(
    (line, request) => answer?.(line, request) ?? json(200, line.includes('/v1/config') ? {} : loadedTable),
  );
  onTestFinished(server.close);
  const sleeps: number[] = [];
  const catalog = restCatalog(
    {
      catalog_uri: `${server.url}${path}`,
      retry: { initial_ms: 100, max_ms: 5_000, jitter: 0 },
      ...settings,
    },
    {
      clock: { now: () => Date.UTC(2026, 0, 1) },
      timers: {
        sleep: async (ms) => {
          sleeps.push(ms);
        },
      },
      random: seededRandom(),
      ...(authorization !== undefined && { authorization }),
    },
  );
  /** The requests but those for the configuration. */
  const requested = () => server.lines.filter((line) => !line.includes('/v1/config'));
  return { catalog, server, sleeps, requested };
}
