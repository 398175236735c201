/** The jobs of the functions, one for each handler, on ports that stay warm from one invocation to the next. */
import { systemClock } from '../drivers/platform.ts';
import { registerCloudEvent } from '../jobs/cloud-event.ts';
import { type DoctorAnswer, isDoctorRequest } from '../jobs/doctor/doctor-request.ts';
import { health, logHealth } from '../jobs/health/health.ts';
import { type PullAnswer, pull } from '../jobs/pull.ts';
import { type ReconcileAnswer, reconcileRequest } from '../jobs/reconcile/reconcile-event.ts';
import { registerMessages } from '../jobs/register/register-messages.ts';
import { sourceQueue } from '../jobs/registrations-queue.ts';
import { route } from '../jobs/route.ts';
import { traceBatch } from '../jobs/trace-batch.ts';
import type { BatchResponse } from '../report/batch-response.ts';
import { doctorPorts, healthPorts, warm, warmBase } from '../wire.ts';

/** The part of Lambda's context that tells the remaining time. */
export interface InvocationContext {
  readonly getRemainingTimeInMillis: () => number;
}

/** Starts, during a function's initialisation, what its first invocation needs. After a failure the invocation tries again and reports it. */
export function connectEarly(): void {
  warm()
    .then((wiring) => wiring.connect())
    .catch(() => undefined);
}

/** The same for the router: its configuration, and the queue driver that every batch needs. */
export function loadEarly(): void {
  Promise.all([warmBase(), import('../drivers/sqs.ts')]).catch(() => undefined);
}

/** The job of `functions/register.ts`. */
export async function registerEvent(event: unknown, context: InvocationContext): Promise<BatchResponse> {
  const wiring = await warm();
  return traceBatch('register', event, wiring.trace, () =>
    registerMessages(event, { ...wiring, queueUrl: sourceQueue(event, wiring.entries) }, () =>
      context.getRemainingTimeInMillis(),
    ),
  );
}

/** The job of `functions/reconcile.ts`. */
export async function reconcileEvent(event: unknown, context: InvocationContext): Promise<ReconcileAnswer> {
  const wiring = await warm();
  return wiring.trace({ name: 'reconcile' }, () =>
    reconcileRequest(event, wiring, () => context.getRemainingTimeInMillis()),
  );
}

/** The job of `functions/health.ts`. For a request of `doctor --deployed` it runs doctor's checks instead. */
export async function healthEvent(
  event?: unknown,
  context?: InvocationContext,
): Promise<DoctorAnswer | undefined> {
  const wiring = await warm();
  if (isDoctorRequest(event)) {
    const { answerDoctor } = await import('../jobs/doctor/answer-doctor.ts');
    return answerDoctor(event, doctorPorts(wiring));
  }
  logHealth(
    await wiring.trace({ name: 'health' }, () =>
      health(healthPorts(wiring), {
        trends: false,
        ...(context && { remainingMs: () => context.getRemainingTimeInMillis() }),
      }),
    ),
    wiring.log,
  );
  return undefined;
}

/** The job of `functions/route.ts`. */
export async function routeEvent(event: unknown): Promise<BatchResponse> {
  const base = await warmBase();
  return traceBatch('route', event, base.trace, () => route(event, base));
}

/** The jobs of `functions/cloud-event.ts`: an event of Eventarc … */
export async function cloudEventArrived(event: unknown): Promise<void> {
  const wiring = await warm();
  await wiring.trace({ name: 'register', traceHeaders: [] }, () =>
    registerCloudEvent(event, wiring, googleTime()),
  );
}

/** … and `{"subscription"}`, on a schedule. */
export async function pullRequested(request: unknown): Promise<PullAnswer> {
  const wiring = await warm();
  return wiring.trace({ name: 'pull', traceHeaders: [] }, async (add) => {
    const answer = await pull(request, wiring, googleTime());
    add({
      'iceberg-registrar.messages': answer.messages,
      'iceberg-registrar.messages-failed': answer.failed,
    });
    return answer;
  });
}

/** Google does not tell a function its remaining time. Our deployments have a timeout of at least 300 s. */
function googleTime(): () => number {
  const endMs = systemClock.now() + 240_000;
  return () => endMs - systemClock.now();
}
