import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Tracer } from '#net/tracing/span.ts';
import { parseTraceparent, traceparentName } from '#protocol/trace-context.ts';
import { Trace } from './current-trace.ts';

/** Records a span for each call of the hosted API, by its route's name and pattern: never its path, query or headers. */
export function requestSpans(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { config, url = '' } = request.routeOptions;
    const { routeName } = config as { readonly routeName?: string };
    if (routeName === undefined) return done();
    const { method } = request;
    const incoming = request.headers[traceparentName];
    const attributes = { 'http.request.method': method, 'http.route': url, 'longshore.route': routeName };
    const span = tracer.start(`${method} ${url}`, { kind: 'server', parent: parseTraceparent(incoming), attributes });
    const trace = new Trace(incoming, span);
    request.trace = trace;
    // Not the hook for answers, which watches every call for all the ways that one can end.
    if (span.context.sampled) reply.raw.once('close', () => end(trace, reply));
    done();
  });
}

function end(trace: Trace, { raw, statusCode }: FastifyReply): void {
  trace.span?.set('http.response.status_code', statusCode);
  const cut = raw.writableFinished ? null : 'disconnected';
  trace.end(statusCode >= 500 ? String(statusCode) : cut);
}
