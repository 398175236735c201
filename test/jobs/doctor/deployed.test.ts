import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerDoctor } from '../../../lib/jobs/doctor/answer-doctor.ts';
import { isDoctorRequest } from '../../../lib/jobs/doctor/doctor-request.ts';
import { askDeployed } from '../../../lib/wire/deployed-doctor.ts';
import { doctorPorts, wire } from '../../../lib/wire.ts';
import { type HttpResponse, type HttpService, startHttpService } from '../../../local/http-service.ts';
import { type SignedRequest, signatureProblem } from '../../fakes/aws-signature.ts';
import { type Registration, startRegistration } from '../registration.ts';

const key = { accessKeyId: 'AKID', secretAccessKey: 'own-secret', region: 'eu-central-1', service: 'lambda' };

let registration: Registration;
let lambda: HttpService;
let answer: (payload: unknown) => Promise<HttpResponse>;
let asked: SignedRequest[];
beforeEach(async () => {
  registration = await startRegistration();
  asked = [];
  lambda = await startHttpService(async (request) => {
    asked.push({ ...request, body: request.body.toString() });
    return answer(JSON.parse(request.body.toString()));
  });
  vi.stubEnv('AWS_ACCESS_KEY_ID', key.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', key.secretAccessKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await lambda.close();
  await registration.close();
});

const ask = (name = 'iceberg-registrar-prod-health:live') =>
  askDeployed(
    name,
    { doctor: { table: 'orders' } },
    { AWS_REGION: key.region, AWS_ENDPOINT_URL_LAMBDA: lambda.url },
  );

/** Lambda answers 200 whatever the function does. */
const saying = (body: string, headers = {}) => {
  answer = async () => ({ status: 200, headers, body });
};

describe('askDeployed', () => {
  test('has the checks made by the function, which writes nothing', async () => {
    const before = registration.requests.length;
    answer = async (payload) => {
      if (!isDoctorRequest(payload)) throw new Error('Expected a request of doctor');
      const ports = doctorPorts(await wire({ ...registration.environment }));
      return { status: 200, body: JSON.stringify(await answerDoctor(payload, ports)) };
    };
    const { findings } = await ask();
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['versions', 'catalog', 'authentication', 'table', 'segments', 'lifecycle']),
    );
    expect(registration.requests.slice(before).filter((request) => !/^(GET|HEAD) /.test(request))).toEqual(
      [],
    );
  });

  test('names the function by name or ARN, and signs for its region', async () => {
    saying('{"findings":[]}');
    const arn = 'arn:aws:lambda:eu-west-1:123456789012:function:x-health:live';
    await ask();
    await ask(arn);
    expect(
      asked.map((request, at) => signatureProblem(request, at === 0 ? key : { ...key, region: 'eu-west-1' })),
    ).toEqual([undefined, undefined]);
    expect(asked.map(({ path }) => decodeURIComponent(path))).toEqual([
      '/2015-03-31/functions/iceberg-registrar-prod-health:live/invocations',
      `/2015-03-31/functions/${arn}/invocations`,
    ]);
  });

  test.each([
    [
      'a function that is not there',
      { status: 404, body: '{}' },
      'config.invalid',
      'name the deployed health function',
    ],
    [
      'a caller who may not',
      { status: 403, body: '{"Message":"no"}' },
      'auth.failed',
      'lambda:InvokeFunction',
    ],
    [
      'a function that fails',
      {
        status: 200,
        headers: { 'x-amz-function-error': 'Unhandled' },
        body: '{"errorMessage":"config.invalid"}',
      },
      'internal.error',
      'it failed: {"errorMessage":"config.invalid"}',
    ],
    [
      'a function that is another, or older',
      { status: 200, body: 'null' },
      'config.invalid',
      'does not know doctor',
    ],
  ] as const)('%s', async (_, response, code, message) => {
    answer = async () => response;
    await expect(ask()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('a region that nobody names', async () => {
    await expect(askDeployed('health', { doctor: {} }, {})).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining('AWS_REGION'),
    });
  });
});
