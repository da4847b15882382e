import type { ApiRequest } from '#client/ports.ts';
import { newSpanId, newTraceId, traceparentName, traceparentOf } from '#protocol/trace-context.ts';
import type { Span, Tracer } from '../ports.ts';
import { asApiError } from './failures.ts';
import type { TransferRecord } from './record.ts';

/**
 * The trace of a transfer: its id is the transfer's own, without dashes, in every run. So whoever has an error of a
 * transfer has what to look for in the logs of the service, with or without a collector.
 */
export const traceIdOf = (transferId: string): string => {
  const digits = transferId.replaceAll('-', '').toLowerCase();
  return /^(?!0{32})[0-9a-f]{32}$/.test(digits) ? digits : newTraceId();
};

export interface TransferTrace {
  /** A call with the trace. Only the service gets it: an address of storage may be anybody's. */
  traced(request: ApiRequest): ApiRequest;
  /** Does a part of the transfer's work as a span. */
  part<T>(name: string, bytes: number, work: () => Promise<T>): Promise<T>;
  /** Runs the whole transfer as a span. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createTransferTrace({ id, kind }: Pick<TransferRecord, 'id' | 'kind'>, tracer: Tracer | null): TransferTrace {
  const traceId = traceIdOf(id);
  const span = tracer?.start(kind, { traceId, attributes: { 'longshore.transfer.id': id } }) ?? null;
  const context = span?.context ?? { traceId, spanId: newSpanId(), sampled: false };
  const traceparent = traceparentOf(context);
  return {
    traced: (request) =>
      request.service === undefined ? request : { ...request, headers: { ...request.headers, [traceparentName]: traceparent } },
    part(name, bytes, work) {
      if (!tracer || !context.sampled) return work();
      return followed(tracer.start(name, { kind: 'client', parent: context, attributes: { 'longshore.bytes': bytes } }), work);
    },
    run: (work) => (span ? followed(span, work) : work()),
  };
}

async function followed<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(asApiError(error).error);
    throw error;
  }
}
