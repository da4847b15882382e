import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { addConditionGauges, type ConditionSources } from './condition.ts';
import type { ServiceMetrics } from './metrics.ts';

export interface StorageMetricsSources {
  readonly version: string;
  readonly condition: Pick<ConditionSources, 'problems' | 'disks' | 'certificateEnd' | 'integrity' | 'lastBackup' | 'now'>;
}

/** The metrics of a process that serves local storage alone: it has neither calls of the API nor a database. */
export function createStorageMetrics({ version, condition }: StorageMetricsSources): ServiceMetrics {
  const registry = new Registry();
  const prefix = 'longshore_service_';
  // What cannot be read is left out.
  const oldestDue = () => Promise.reject(new Error('there are no jobs here'));
  addConditionGauges(registry, prefix, { ...condition, oldestDue, scans: async () => null });
  new Gauge({ name: `${prefix}info`, help: 'Version of the service.', labelNames: ['version'], registers: [registry] }).set({ version }, 1);
  collectDefaultMetrics({ register: registry });
  return { answered: () => undefined, text: () => registry.metrics() };
}
