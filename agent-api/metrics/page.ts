import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Engine } from '#engine/engine.ts';
import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import type { CallCounts } from './call-counts.ts';
import type { TransferCounts } from './transfer-counts.ts';

interface MetricsSources {
  readonly engine: Engine;
  readonly counts: TransferCounts;
  readonly calls: CallCounts;
}

const kinds = ['upload', 'download'] as const;
/** Milliseconds between samples of the event loop's delay: often enough to see a stall, and almost no CPU. */
const loopResolution = 100;

/** The metrics in Prometheus format. Values are read on each request. */
export function metricsPage({ engine, counts, calls }: MetricsSources): { text(): Promise<string> } {
  const registers = [new Registry()];
  const gauge = (name: string, help: string, labelNames: string[], collect: (own: Gauge) => void) =>
    new Gauge({
      name: `longshore_agent_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        collect(this);
      },
    });
  const counter = (name: string, help: string, labelNames: string[], values: () => Iterable<readonly [Record<string, string>, number]>) =>
    new Counter({
      name: `longshore_agent_${name}_total`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [labels, value] of values()) this.inc(labels, value);
      },
    });
  const byKind = (of: Readonly<Record<(typeof kinds)[number], number>>) => kinds.map((kind) => [{ kind }, of[kind]] as const);

  let now: Readonly<Record<(typeof kinds)[number], TransferSummary>> | null = null;
  const look = async (): Promise<void> => {
    now = { upload: await engine.transfers.summary({ kind: 'upload' }), download: await engine.transfers.summary({ kind: 'download' }) };
  };
  gauge('transfers', 'Transfers by kind and state.', ['kind', 'state'], (own) => {
    for (const kind of kinds) for (const [state, count] of Object.entries(now?.[kind].states ?? {})) own.set({ kind, state }, count);
  });
  gauge('speed_bytes_per_second', 'Bytes a second over the last seconds, by kind.', ['kind'], (own) => {
    own.set({ kind: 'upload' }, now?.upload.upload_bps ?? 0);
    own.set({ kind: 'download' }, now?.download.download_bps ?? 0);
  });
  gauge('queue_bytes', 'Bytes that transfers which are not over have yet to move, by kind.', ['kind'], (own) => {
    for (const kind of kinds) own.set({ kind }, now?.[kind].bytes_left ?? 0);
  });
  gauge('signed_in', 'Whether the agent has a session.', [], (own) => own.set(engine.status().signed_in ? 1 : 0));
  gauge('paused', 'Whether all transfers are paused.', [], (own) => own.set(engine.status().paused ? 1 : 0));
  gauge('warnings', 'Warnings that stand in the status.', [], (own) => own.set(engine.status().warnings.length));
  gauge('event_streams', 'Event streams that are open.', [], (own) => own.set(calls.streams));
  gauge('info', 'Version of the agent.', ['version'], (own) => own.set({ version: engine.status().version }, 1));
  counter('moved_bytes', 'Bytes moved, by kind.', ['kind'], () => byKind(counts.bytes));
  counter('moved_files', 'Files that got through, by kind.', ['kind'], () => byKind(counts.files));
  counter('completed_transfers', 'Transfers that came to their end, by kind.', ['kind'], () => byKind(counts.completed));
  counter('failed_transfers', 'Transfers that failed, by the error.', ['error'], () => labelled('error', counts.failed));
  counter('calls', 'Calls of the local API, by the status of the answer.', ['status'], () => labelled('status', calls.byStatus));
  counter('call_errors', 'Calls of the local API that were refused or failed, by the error.', ['error'], () =>
    labelled('error', calls.byError),
  );
  collectDefaultMetrics({ register: registers[0]!, eventLoopMonitoringPrecision: loopResolution });
  return {
    async text() {
      await look();
      return registers[0]!.metrics();
    },
  };
}

function* labelled(name: string, values: ReadonlyMap<string | number, number>): Iterable<readonly [Record<string, string>, number]> {
  for (const [value, count] of values) yield [{ [name]: String(value) }, count];
}
