// A minimal client of the Lambda Runtime API (next, response, error, init error), which runs a built handler as Lambda would. Usage: AWS_LAMBDA_RUNTIME_API=host:port node bootstrap.mjs <module> <export>
import { get } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const [, , modulePath, exportName = 'handler'] = process.argv;
const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;

const handler = await loadHandler();
for (;;) {
  const next = await nextInvocation();
  const requestId = next.headers['lambda-runtime-aws-request-id'];
  const deadlineMs = Number(next.headers['lambda-runtime-deadline-ms']);
  const context = {
    awsRequestId: requestId,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'local',
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  };
  try {
    await report(`invocation/${requestId}/response`, (await handler(await json(next), context)) ?? null);
  } catch (error) {
    await report(`invocation/${requestId}/error`, describe(error));
  }
}

/** Waits without a timeout: fetch would give up after five minutes without an answer. */
function nextInvocation() {
  return new Promise((resolve, reject) => get(`${api}/invocation/next`, resolve).on('error', reject));
}

async function loadHandler() {
  try {
    const module = await import(pathToFileURL(path.resolve(modulePath)).href);
    return module[exportName];
  } catch (error) {
    await report('init/error', describe(error));
    process.exit(1);
  }
}

async function report(endpoint, body) {
  const response = await fetch(`${api}/${endpoint}`, { method: 'POST', body: JSON.stringify(body) });
  await response.arrayBuffer();
}

function describe(error) {
  return {
    errorType: error?.name ?? 'Error',
    errorMessage: error?.message ?? String(error),
    stackTrace: error?.stack?.split('\n') ?? [],
  };
}
