import { type Link, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { RegistrarError } from '../errors.ts';
import type { Trace } from '../ports.ts';
import { version } from '../version.ts';

/**
 * Spans through OpenTelemetry's API. They go to the SDK that the process has registered (a Lambda layer, `node --import`); without one they
 * go nowhere. A failed span has the error's code, never its message.
 */
export function openTelemetryTrace(): Trace {
  const tracer = trace.getTracer('iceberg-registrar', version);
  return ({ name, attributes, traceHeaders }, work) => {
    const options = {
      attributes: { ...attributes },
      links: [...new Set(traceHeaders)].flatMap((header) => linkTo(header) ?? []),
      kind: traceHeaders === undefined ? SpanKind.INTERNAL : SpanKind.CONSUMER,
    };
    return tracer.startActiveSpan(`iceberg-registrar ${name}`, options, async (span) => {
      try {
        return await work((more) => span.setAttributes(more));
      } catch (error) {
        const code = error instanceof RegistrarError ? error.code : 'internal.error';
        span.setAttributes({ 'error.type': code });
        span.setStatus({ code: SpanStatusCode.ERROR, message: code });
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

/**
 * Parses X-Ray's header of a message, `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1`. A batch has many senders,
 * so its span is linked to theirs instead of being the child of one.
 */
function linkTo(header: string): Link | undefined {
  const [, time, rest] = /(?:^|;)\s*Root=1-([0-9a-f]{8})-([0-9a-f]{24})/.exec(header) ?? [];
  const spanId = /(?:^|;)\s*Parent=([0-9a-f]{16})/.exec(header)?.[1];
  if (time === undefined || rest === undefined || spanId === undefined) return undefined;
  const traceFlags = /(?:^|;)\s*Sampled=1/.test(header) ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { context: { traceId: time + rest, spanId, traceFlags, isRemote: true } };
}
