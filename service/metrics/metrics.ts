import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { QueueDepth } from '../jobs/ports.ts';
import { addConditionGauges, type ConditionSources } from './condition.ts';

/** Transfers to and from connected storage. */
export interface TransferCounts {
  /** Now, in all processes. */
  readonly now: Readonly<Record<'pending' | 'started', number>>;
  /** By this process since it started. */
  readonly ended: Readonly<Record<'complete' | 'error', number>>;
  readonly bytes: number;
}

export interface MetricsSources {
  readonly version: string;
  readonly queues: () => Promise<readonly QueueDepth[]>;
  readonly transfers: () => Promise<TransferCounts>;
  /** Of what transfers may have under way in this process, from 0 to 1: what they may have now. */
  readonly transferShare: () => number;
  readonly condition: ConditionSources;
  /** Spans since the start; null or absent: there is no collector. */
  readonly spans?: (() => { readonly exported: number; readonly dropped: number }) | null;
  readonly gateways: () => Promise<Readonly<Record<'online' | 'offline', number>>>;
}

/** The metrics for the operator's monitoring (docs/operating/monitoring.md): calls, jobs, database and process. */
export interface ServiceMetrics {
  /** Counts a response. `route` is its pattern, never the path with its ids. */
  answered(call: { readonly method: string; readonly route: string; readonly status: number; readonly seconds: number }): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** Of the collector's spans. Dropped: the collector is away, refuses them, or is slower than what happens. */
function addSpanCounter(registry: Registry, prefix: string, spans: NonNullable<MetricsSources['spans']>): void {
  new Counter({
    name: `${prefix}spans_total`,
    help: 'Spans for the collector of traces, by what became of them.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(spans())) this.inc({ outcome }, count);
    },
  });
}

export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE;

const seconds = [0.005, 0.025, 0.1, 0.5, 2, 10];
/** Sampling interval of the event loop's delay, in milliseconds. */
const loopResolution = 100;

export function createServiceMetrics({
  version,
  queues,
  transfers,
  transferShare,
  gateways,
  condition,
  spans,
}: MetricsSources): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  const prefix = 'longshore_service_';
  const calls = new Counter({
    name: `${prefix}calls_total`,
    help: 'Calls of the API, by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: `${prefix}call_seconds`,
    help: 'Seconds until a call was answered, by method.',
    labelNames: ['method'],
    buckets: seconds,
    registers,
  });
  const jobs = new Gauge({
    name: `${prefix}jobs`,
    help: 'Jobs by kind and state; counted by the job queue every minute or so.',
    labelNames: ['job', 'state'],
    registers,
  });
  const transferStates = new Gauge({
    name: `${prefix}transfers`,
    help: 'Transfers to and from connected storage that are not over, in all processes.',
    labelNames: ['state'],
    registers,
  });
  const transfersEnded = new Counter({
    name: `${prefix}transfers_ended_total`,
    help: 'Transfers that came to their end in this process.',
    labelNames: ['state'],
    registers,
  });
  const transferBytes = new Counter({
    name: `${prefix}transfer_bytes_total`,
    help: 'Bytes that transfers of this process have brought.',
    registers,
  });
  new Gauge({
    name: `${prefix}transfer_limit_ratio`,
    help: 'Share of the memory for parts that transfers may use now: below 1 they yield to callers of the API.',
    registers,
    collect() {
      this.set(transferShare());
    },
  });
  const gatewayStates = new Gauge({
    name: `${prefix}gateways`,
    help: 'Storage gateways, in all processes.',
    labelNames: ['state'],
    registers,
  });
  addConditionGauges(registry, prefix, condition);
  if (spans) addSpanCounter(registry, prefix, spans);
  const database = new Gauge({ name: `${prefix}database_up`, help: 'Whether the database answers.', registers });
  new Gauge({ name: `${prefix}info`, help: 'Version of the service.', labelNames: ['version'], registers }).set({ version }, 1);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopResolution });

  return {
    answered({ method, route, status, seconds: taken }) {
      calls.inc({ method, route, status: String(status) });
      durations.observe({ method }, taken);
    },
    async text() {
      const depths = await queues().catch(() => null);
      database.set(depths ? 1 : 0);
      jobs.reset();
      for (const { name, ...states } of depths ?? [])
        for (const [state, count] of Object.entries(states)) jobs.set({ job: name, state }, count);
      const counts = await transfers().catch(() => null);
      transferStates.reset();
      for (const [state, count] of Object.entries(counts?.now ?? {})) transferStates.set({ state }, count);
      if (counts) {
        // Counted where they happen.
        transfersEnded.reset();
        transferBytes.reset();
        for (const [state, count] of Object.entries(counts.ended)) transfersEnded.inc({ state }, count);
        transferBytes.inc(counts.bytes);
      }
      gatewayStates.reset();
      for (const [state, count] of Object.entries((await gateways().catch(() => null)) ?? {})) gatewayStates.set({ state }, count);
      return registry.metrics();
    },
  };
}
