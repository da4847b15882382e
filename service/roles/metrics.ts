import { type ListenAddress, listen } from '../http/listener.ts';
import type { Log } from '../log.ts';
import type { MetricsSources, ServiceMetrics } from '../metrics/metrics.ts';
import type { StorageMetricsSources } from '../metrics/storage-metrics.ts';

interface RunningMetrics extends Pick<ServiceMetrics, 'answered'> {
  /** The origin of `/metrics`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves `/metrics` at an address of its own; those of the storage alone where there are no others. Errors: `StartError`. */
export async function startMetrics(
  address: ListenAddress,
  sources: MetricsSources | StorageMetricsSources,
  log: Pick<Log, 'warn'>,
): Promise<RunningMetrics> {
  const listener = await listen(address);
  // Loaded only when needed, with its library.
  const [{ createServiceMetrics }, { createStorageMetrics }, { metricsHandler }] = await Promise.all([
    import('../metrics/metrics.ts'),
    import('../metrics/storage-metrics.ts'),
    import('../metrics/serve.ts'),
  ]);
  const metrics = 'queues' in sources ? createServiceMetrics(sources) : createStorageMetrics(sources);
  listener.serve(metricsHandler(metrics, (error) => log.warn({ err: error }, 'the metrics could not be read')));
  return { url: listener.url, answered: metrics.answered, stop: () => listener.close(0) };
}
