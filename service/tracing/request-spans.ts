import type { FastifyInstance } from 'fastify';
import type { Tracer } from '#net/tracing/span.ts';
import { parseTraceparent, traceparentName } from '#protocol/trace-context.ts';
import { Trace } from './current-trace.ts';

/** Records a span for each call of the hosted API, by its route's name and pattern: never its path, query or headers. */
export function requestSpans(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, _, done) => {
    const { routeName } = request.routeOptions.config as { readonly routeName?: string };
    if (routeName !== undefined) {
      const incoming = request.headers[traceparentName];
      const span = tracer.start(`${request.method} ${request.routeOptions.url}`, {
        kind: 'server',
        parent: parseTraceparent(incoming),
        attributes: {
          'http.request.method': request.method,
          'http.route': request.routeOptions.url ?? '',
          'longshore.route': routeName,
        },
      });
      request.trace = new Trace(incoming, span);
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { trace } = request;
    if (trace?.span) {
      trace.span.set('http.response.status_code', reply.statusCode);
      const cut = reply.raw.writableFinished ? null : 'disconnected';
      trace.end(reply.statusCode >= 500 ? String(reply.statusCode) : cut);
    }
    done();
  });
}
