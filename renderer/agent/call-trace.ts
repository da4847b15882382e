import type { AgentTransport } from '#client/agent.ts';
import { newSpanId, newTraceId, traceparentName, traceparentOf } from '#protocol/trace-context.ts';

/** A page is open for days: each call has a trace of its own, under which the logs of agent and service have what it causes. */
export function withCallTrace(transport: AgentTransport): AgentTransport {
  return (path, init) => {
    const headers = new Headers(init.headers);
    headers.set(traceparentName, traceparentOf({ traceId: newTraceId(), spanId: newSpanId(), sampled: false }));
    return transport(path, { ...init, headers });
  };
}
