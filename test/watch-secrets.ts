import { afterAll, afterEach, vi } from 'vitest';
import { expectNoLeak, watch } from './fakes/secret-watch.ts';

/**
 * A setup file: in every test, all that the registrar lets out is searched for the secrets of the tests (I10): errors as they are made, log lines and with them
 * metrics, findings of doctor, what is printed, and what requests ask for and bring (quarantine objects, manifests, commits, messages). A request's
 * headers and the forms of token requests are where secrets belong.
 */
vi.mock('../lib/errors.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../lib/errors.ts')>();
  class RegistrarError extends actual.RegistrarError {
    constructor(...of: ConstructorParameters<typeof actual.RegistrarError>) {
      super(...of);
      watch('an error', inFull(this));
    }
  }
  return { ...actual, RegistrarError };
});

vi.mock('../lib/drivers/platform.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../lib/drivers/platform.ts')>();
  const jsonLinesLog: typeof actual.jsonLinesLog = (clock, write) =>
    actual.jsonLinesLog(clock, (line) => {
      watch('the log', line);
      write(line);
    });
  return { ...actual, jsonLinesLog };
});

vi.mock('../lib/drivers/http.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../lib/drivers/http.ts')>();
  const httpSender: typeof actual.httpSender = (settings) => {
    const send = actual.httpSender(settings);
    return (request) => {
      watch('a path', request.path);
      const form = request.headers['content-type'] === 'application/x-www-form-urlencoded';
      if (request.body !== undefined && !form) watch(`what was sent to ${request.path}`, request.body);
      return send(request);
    };
  };
  return { ...actual, httpSender };
});

vi.mock('../lib/drivers/sqs.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../lib/drivers/sqs.ts')>();
  const sqsQueue: typeof actual.sqsQueue = (settings) => {
    const queue = actual.sqsQueue(settings);
    const send: typeof queue.send = (url, messages) => {
      for (const { body } of messages) watch('a message', body);
      return queue.send(url, messages);
    };
    return { ...queue, send };
  };
  return { ...actual, sqsQueue };
});

vi.mock('../lib/jobs/doctor/doctor.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../lib/jobs/doctor/doctor.ts')>();
  const examine: typeof actual.examine = async (...of) => {
    const findings = await actual.examine(...of);
    watch('a finding of doctor', JSON.stringify(findings));
    return findings;
  };
  return { ...actual, examine };
});

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
    watch('what was printed', chunk);
    return write(chunk, ...rest);
  }) as typeof stream.write;
}

afterEach(expectNoLeak);
afterAll(expectNoLeak);

/** Its message, its context and all its causes, with whatever they carry. */
function inFull(error: unknown): string {
  if (!(error instanceof Error)) return stringified(error);
  const { message, cause } = error;
  return `${message} ${stringified({ ...error })}${cause === undefined ? '' : ` caused by ${inFull(cause)}`}`;
}

function stringified(value: unknown): string {
  try {
    return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)) ?? '';
  } catch {
    // What has a circle in it is an object of a library, told as what it says of itself.
    return String(value);
  }
}
