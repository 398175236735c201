/**
 * `npm run smoke -- --stack NAME`: tests a deployed stack from outside. REGISTRAR_CONFIG names its configuration. Credentials, region and
 * endpoints come from the usual variables (AWS_REGION, AWS_ENDPOINT_URL). Exits with 0 if every step succeeds.
 */
import { RegistrarError } from '../../lib/errors.ts';
import { wire } from '../../lib/wire.ts';
import { readCommandLine } from '../command-line.ts';
import { outputNamed, stackOutputs } from '../deploy/cloudformation.ts';
import { refusal } from '../refusal.ts';
import { smoke } from './smoke.ts';

try {
  const { values } = readCommandLine({ options: { stack: { type: 'string' } } });
  const { env } = process;
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (values.stack === undefined || region === undefined) {
    throw new RegistrarError(
      'config.invalid',
      'Cannot tell which stack to test: name it, npm run smoke -- --stack iceberg-registrar-prod, and its region in AWS_REGION',
    );
  }
  const endpoint = env['AWS_ENDPOINT_URL_CLOUDFORMATION'] ?? env['AWS_ENDPOINT_URL'];
  const outputs = await stackOutputs({ region, endpoint }, values.stack);
  const wiring = await wire(
    {
      ...env,
      REGISTRAR_QUEUES__ARRIVALS: outputNamed(outputs, 'ArrivalsUrl'),
      REGISTRAR_QUEUES__REGISTRATIONS: outputNamed(outputs, 'RegistrationsUrl'),
    },
    process.stderr,
  );
  await smoke(wiring, (line) => console.log(line));
} catch (error) {
  console.error(refusal(error));
  process.exitCode = 1;
}
