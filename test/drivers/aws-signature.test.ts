import { describe, expect, test } from 'vitest';
import { awsSignature } from '../../lib/drivers/aws-signature.ts';
import type { HttpRequest } from '../../lib/drivers/http.ts';
import { type SignedRequest, type SigningKey, signatureProblem } from '../fakes/aws-signature.ts';

const key: SigningKey = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
};
const nowMs = Date.UTC(2015, 7, 30, 12, 36);

/** AWS's published test suite for Signature Version 4: name, request line, signature. */
const vectors = [
  ['get-vanilla', 'GET /', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST /', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ['get-utf8', 'GET /ሴ', '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85'],
  [
    'get-space-normalized',
    'GET /example space/',
    '652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741',
  ],
  [
    'get-unreserved',
    'GET /-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-vanilla-query-order-encoded',
    'GET /?Param-3=Value3&Param=Value2&%E1%88%B4=Value1',
    '371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac',
  ],
] as const;

describe("signatureProblem, the tests' own reading of AWS's document,", () => {
  test.each(vectors)('agrees with %s', (_, line, signature) => {
    const [, method = '', path = '', query = ''] = /^(\S+) ([^?]*)\??(.*)$/.exec(line) ?? [];
    const request = (given: string): SignedRequest => ({
      method,
      path,
      query: new URLSearchParams(query),
      headers: {
        host: 'example.amazonaws.com',
        'x-amz-date': '20150830T123600Z',
        authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${given}`,
      },
      body: '',
    });
    expect(signatureProblem(request(signature), key)).toBeUndefined();
    expect(signatureProblem(request(signature.replace(/^./, 'f')), key)).toContain('does not match');
  });
});

describe('awsSignature', () => {
  const signer = (service = 'service', sessionToken?: string) =>
    awsSignature({ region: key.region, service }, { now: () => nowMs }, async () => ({
      accessKeyId: key.accessKeyId,
      secretAccessKey: key.secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
    }));
  const post: HttpRequest = {
    method: 'POST',
    origin: 'https://example.amazonaws.com',
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '13' },
    body: 'Param1=value1',
  };

  test("signs AWS's vector post-x-www-form-urlencoded, its body included, to the letter", async () => {
    expect(await signer().authorize(post)).toMatchObject({
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=content-length;content-type;host;x-amz-content-sha256;x-amz-date, Signature=d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b',
      'x-amz-date': '20150830T123600Z',
      'x-amz-content-sha256': '9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e',
    });
  });

  test.each([
    ['glue', '/iceberg/v1/catalogs/123456789012/namespaces/a%1Fb/tables/t%2F1'],
    ['glue', '/iceberg/v1/config?warehouse=123456789012%3As3tablescatalog%2Flake'],
    ['s3tables', '/iceberg/v1/arn%3Aaws%3As3tables%3Aus-east-1%3A123456789012%3Abucket%2Flake/namespaces/n'],
    ['s3tables', '/iceberg/v1/config?warehouse=arn%3Aaws%3As3tables%3Aus-east-1%3A1%3Abucket%2Fa%20b'],
    ['execute-api', '/prod/v1/namespaces/%C3%BC%20%E6%97%A5/tables/plus%2B!(x)*'],
  ])('signs for %s the path %s as it is sent, encoded once more (F14)', async (service, path) => {
    for (const request of [
      { ...post, path },
      { ...post, path, method: 'GET' as const, body: '' },
    ]) {
      const signed = await signer(service, 'a-session-token').authorize(request);
      const url = new URL(`${request.origin}${path}`);
      const arrived: SignedRequest = {
        method: request.method,
        path: path.replace(/\?.*/, ''),
        query: url.searchParams,
        headers: { ...request.headers, host: url.host, ...signed },
        body: request.body ?? '',
      };
      expect(signatureProblem(arrived, { ...key, service })).toBeUndefined();
      expect(signatureProblem({ ...arrived, body: 'forged' }, { ...key, service })).toBeDefined();
      expect(signed['x-amz-security-token']).toBe('a-session-token');
      expect(signed['authorization']).toContain('x-amz-security-token');
    }
  });

  test('repeats no token of the identity that STS refuses and quotes (I10)', async () => {
    const jwt = [{ alg: 'RS256' }, { sub: 'system:serviceaccount:lake:registrar' }, {}]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const refused = awsSignature({ region: 'us-east-1', service: 'glue' }, { now: () => nowMs }, async () => {
      throw new Error(`InvalidIdentityToken: ${jwt} is not valid`);
    });
    await expect(refused.authorize(post)).rejects.toMatchObject({
      message:
        'Cannot sign requests for AWS: InvalidIdentityToken: *** is not valid; give the function a role',
    });
  });

  test('without credentials is auth.failed and says what to do', async () => {
    const unknown = awsSignature({ region: 'us-east-1', service: 'glue' }, { now: () => nowMs }, async () => {
      throw new Error('Could not load credentials from any providers');
    });
    await expect(unknown.authorize(post)).rejects.toMatchObject({
      code: 'auth.failed',
      message: expect.stringMatching(/any providers; give the function a role/),
    });
  });
});
