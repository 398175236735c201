import type { HttpRequest, HttpResponse } from '../../local/http-service.ts';
import { type SigningKey, signatureProblem } from '../fakes/aws-signature.ts';
import {
  bodyOf,
  type Dialect,
  failure,
  type Ignorance,
  isCreation,
  json,
  kindOf,
  type Quirk,
  type Settings,
  withBody,
} from './dialect.ts';

/** Quirks that several catalogs share. What follows a title is where it was read. */

/** A path in which everything is percent-encoded once more, as by a registrar that encodes the prefix it was sent. */
export const encodesAgain: Ignorance = {
  request: (request: HttpRequest): HttpRequest => ({ ...request, path: request.path.replaceAll('%', '%25') }),
};

export function needsHeader(
  name: string,
  value: string,
  source: string,
  without: Settings,
  refusal: HttpResponse = failure(401, 'NotAuthorizedException', `${name} is missing`),
): Quirk {
  return {
    title: `${name} must be sent with every request`,
    source,
    serve: (next) => (request) => (request.headers[name.toLowerCase()] === value ? next(request) : refusal),
    without: { settings: without },
  };
}

export function needsBearer(token: string, source: string): Quirk {
  return {
    title: 'a bearer token must be sent with every request',
    source,
    serve: (next) => (request) =>
      request.headers['authorization'] === `Bearer ${token}`
        ? next(request)
        : failure(401, 'NotAuthorizedException', 'not authorized'),
    without: { settings: { catalog_token: undefined } },
  };
}

/** OAuth2 client credentials with exactly this form, `undefined` for what must not be sent; each token is good for `uses` requests. */
export function needsCredential(
  form: Readonly<Record<string, string | undefined>>,
  source: string,
  without: Settings,
  { uses = 5 } = {},
): Quirk {
  return {
    title: 'OAuth2 client credentials must be sent in just this form, and tokens end when they end',
    source,
    serve: (next, { seen }) => {
      const left = new Map<string, number>();
      return (request) => {
        if (kindOf(request) === 'token') {
          const sent = Object.fromEntries(new URLSearchParams(request.body.toString()));
          const wrong = Object.entries({ grant_type: 'client_credentials', ...form }).find(
            ([key, value]) => sent[key] !== value,
          );
          if (wrong?.[0] === 'scope') return json(400, { error: 'invalid_scope' });
          if (wrong) return json(401, { error: 'unauthorized_client' });
          const token = `token-${left.size + 1}`;
          left.set(`Bearer ${token}`, uses);
          seen.set('renewals', left.size - 1);
          return json(200, { access_token: token, token_type: 'bearer' });
        }
        const bearer = request.headers['authorization'] ?? '';
        const remaining = left.get(bearer) ?? 0;
        // As Polaris answers it: without a body.
        if (remaining === 0) return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
        left.set(bearer, remaining - 1);
        return next(request);
      };
    },
    without: { settings: without },
  };
}

/** An access token of Google; each is good for `uses` requests. */
export function needsGoogleToken(source: string, { uses = 5 } = {}): Quirk {
  return {
    title: 'an access token of Google must be sent with every request, and ends when it ends',
    source,
    serve: (next, { seen }) => {
      const used = new Map<string, number>();
      return (request) => {
        const bearer = request.headers['authorization'] ?? '';
        const times = (used.get(bearer) ?? 0) + 1;
        if (!/^Bearer google-token-\d+$/.test(bearer) || times > uses)
          return failure(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials');
        used.set(bearer, times);
        seen.set('renewals', used.size - 1);
        return next(request);
      };
    },
    without: { settings: { catalog_google: undefined } },
  };
}

export function needsSignature(key: SigningKey, source: string): Quirk {
  return {
    title: `requests are signed for ${key.service}, the path encoded once more`,
    source,
    serve: (next) => next,
    arrive(request) {
      const problem = signatureProblem(request, key);
      return problem === undefined ? undefined : failure(403, 'AccessDeniedException', problem);
    },
    without: { settings: { catalog_sigv4: { region: key.region, service: 'execute-api' } } },
  };
}

export function needsWarehouse(warehouse: string, source: string): Quirk {
  return {
    title: 'the configuration is asked for with the warehouse',
    source,
    serve: (next) => (request) =>
      kindOf(request) === 'config' && request.query.get('warehouse') !== warehouse
        ? failure(400, 'BadRequestException', 'GetConfigWarehouseNotProvided')
        : next(request),
    without: { settings: { catalog_warehouse: undefined } },
  };
}

/** `GET /v1/config` as a dialect answers it. */
export function configured(
  where: 'defaults' | 'overrides',
  prefix: string,
  more: Readonly<Record<string, unknown>> = {},
): Dialect['config'] {
  return { prefix, answer: { defaults: {}, overrides: {}, [where]: { prefix }, ...more } };
}

/** The endpoints of the plain protocol, those left out that a catalog does not have. */
export function endpoints(...lacking: readonly string[]): readonly string[] {
  return [
    'GET /v1/{prefix}/namespaces/{namespace}',
    'POST /v1/{prefix}/namespaces',
    'POST /v1/{prefix}/namespaces/{namespace}/tables',
    'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}',
    'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}',
    'POST /v1/{prefix}/namespaces/{namespace}/register',
  ].filter((endpoint) => !lacking.some((part) => endpoint.endsWith(part)));
}

/** A create request gets its location from the catalog; one that names a location is refused. */
export function assignsLocation(
  source: string,
  locationOf: (name: string) => string,
  refusal: string,
): Quirk {
  return {
    title: 'the catalog chooses the location of a table, and refuses one that is sent',
    source,
    serve: (next) => (request) => {
      if (kindOf(request) !== 'create') return next(request);
      const body = bodyOf(request);
      if (body['location'] !== undefined) return failure(400, 'BadRequestException', refusal);
      return next(withBody(request, { ...body, location: locationOf(String(body['name'])) }));
    },
    without: { settings: { table_location: undefined } },
  };
}

/** There is neither register nor a commit that makes a table: only the create request is left. */
export function onlyCreates(source: string): Quirk {
  return {
    title: 'a table is made by a create request alone',
    source,
    serve: (next) => (request) => {
      const kind = kindOf(request);
      if (kind === 'register') return failure(404, 'NotFoundException', 'no such endpoint');
      if (kind === 'commit' && isCreation(bodyOf(request)))
        return failure(400, 'BadRequestException', 'stage-create is not supported');
      return next(request);
    },
    without: { settings: { create_via: 'commit' } },
  };
}
