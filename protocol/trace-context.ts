/**
 * W3C Trace Context: the header `traceparent`, by which everything that one call causes has the same trace id, in every
 * program that takes part.
 */
export interface TraceContext {
  /** 32 hex digits, not all 0. */
  readonly traceId: string;
  /** What causes the next step: 16 hex digits, not all 0. */
  readonly spanId: string;
  /** Whether the caller sends its spans to a collector. */
  readonly sampled: boolean;
}

export const traceparentName = 'traceparent';
/** The header of every error answer of the service: the trace id, under which the log has it too. */
export const traceIdName = 'x-trace-id';

const pattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]*)?$/;
const longest = 256;

/** `null` for none, and for one that is not valid: then a new trace begins, as the specification asks. */
export function parseTraceparent(text: string | readonly string[] | undefined): TraceContext | null {
  if (typeof text !== 'string' || text.length > longest) return null;
  const [, version, traceId, spanId, flags, more] = pattern.exec(text) ?? [];
  // Only later versions may have more fields.
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string => `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

export const newTraceId = (): string => randomHex(16);
export const newSpanId = (): string => randomHex(8);

/** Small, since pages load it. */
function randomHex(count: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  // All 0 would mean "none".
  bytes[0]! |= 1;
  return Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join('');
}
