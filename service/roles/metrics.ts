import { type ListenAddress, listen } from '../http/listener.ts';
import type { Log } from '../log.ts';
import type { MetricsSources, ServiceMetrics } from '../metrics/metrics.ts';

interface RunningMetrics extends Pick<ServiceMetrics, 'answered'> {
  /** The origin of `/metrics`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves `/metrics` at an address of its own. Errors: `StartError`. */
export async function startMetrics(address: ListenAddress, sources: MetricsSources, log: Pick<Log, 'warn'>): Promise<RunningMetrics> {
  const listener = await listen(address);
  // Loaded only when needed, with its library.
  const [{ createServiceMetrics }, { metricsHandler }] = await Promise.all([
    import('../metrics/metrics.ts'),
    import('../metrics/serve.ts'),
  ]);
  const metrics = createServiceMetrics(sources);
  listener.serve(metricsHandler(metrics, (error) => log.warn({ err: error }, 'the metrics could not be read')));
  return { url: listener.url, answered: metrics.answered, stop: () => listener.close(0) };
}
