import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '#protocol/errors.ts';
import type { Health } from '../health.ts';
import type { Log } from '../log.ts';
import type { Readiness } from '../readiness.ts';
import type { Listener } from './listener.ts';

export interface HealthSources {
  readonly health: Pick<Health, 'problems'>;
  readonly readiness: Pick<Readiness, 'report'>;
}

interface HealthAnswer {
  readonly status: number;
  readonly body: object;
}

/** What a process says of itself, by path (contract/system.md §2). */
export const healthAnswers = {
  // Always 200: a proxy that removes unhealthy services would remove all of them, and with them the explanation.
  async '/healthz'({ health }: HealthSources): Promise<HealthAnswer> {
    const problems = await health.problems();
    return { status: 200, body: problems.length === 0 ? { status: 'ok' } : { status: 'degraded', problems } };
  },
  async '/readyz'({ readiness }: HealthSources): Promise<HealthAnswer> {
    const report = await readiness.report();
    return { status: report.status === 'ready' ? 200 : 503, body: report };
  },
} as const;

/** Answers these two and nothing else, for a process without the API. */
export function serveHealth(listener: Pick<Listener, 'serve'>, sources: HealthSources, log: Pick<Log, 'error'>): void {
  listener.serve((request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    const say = ({ status, body }: HealthAnswer): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body));
    };
    const { method = '' } = request;
    const path = (request.url ?? '').split('?')[0]!;
    const answer = method === 'GET' || method === 'HEAD' ? healthAnswers[path as keyof typeof healthAnswers] : undefined;
    const answered = answer ? answer(sources) : Promise.reject(new ApiError('no_such_endpoint', { method, path: path.slice(0, 200) }));
    answered.then(say, (error: unknown) => {
      if (error instanceof ApiError) return say(error);
      log.error({ err: error }, 'health could not be told');
      say(new ApiError('unavailable'));
    });
  });
}
