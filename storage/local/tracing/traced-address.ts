/**
 * Addresses of storage that a sampled call has asked for begin their query with its `traceparent`, so that whoever uses
 * them needs to know nothing of traces. It is not signed: it permits nothing, and decides nothing but where a span belongs.
 */
const pattern = /^traceparent=(00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})&/;
const length = 'traceparent='.length + 55 + '&'.length;

/** The beginning of a query; empty for none. */
export const tracePrefix = (traceparent: string | null): string => (traceparent === null ? '' : `traceparent=${traceparent}&`);

/** A received query without its trace. */
export function withoutTrace(query: string): { readonly query: string; readonly traceparent: string | null } {
  const traceparent = query.startsWith('traceparent=') ? pattern.exec(query)?.[1] : undefined;
  return traceparent === undefined ? { query, traceparent: null } : { query: query.slice(length), traceparent };
}
