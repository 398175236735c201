import type { Environment } from '../config/overrides.ts';
import { systemClock } from '../drivers/platform.ts';
import { RegistrarError } from '../errors.ts';
import { type DoctorAnswer, type DoctorRequest, doctorAnswer } from '../jobs/doctor/doctor-request.ts';

/** The checks of a deployed health function. @throws `config.invalid`, `auth.failed`, `internal.error` */
export async function askDeployed(
  functionName: string,
  request: DoctorRequest,
  env: Environment,
): Promise<DoctorAnswer> {
  const region =
    /^arn:[^:]*:lambda:([^:]+):/.exec(functionName)?.[1] ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (region === undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot ask the function "${functionName}": in which region is it? Set AWS_REGION, or name its ARN`,
    );
  }
  const { invokeFunction } = await import('../drivers/lambda.ts');
  const settings = { region, endpoint: env['AWS_ENDPOINT_URL_LAMBDA'] };
  const answer = doctorAnswer(await invokeFunction(functionName, request, settings, systemClock));
  if (answer !== undefined) return answer;
  throw new RegistrarError(
    'config.invalid',
    `Cannot ask the function "${functionName}": it does not know doctor; name the health function, of this release or a newer one`,
  );
}
