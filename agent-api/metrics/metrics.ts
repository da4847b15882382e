import type { Engine } from '#engine/engine.ts';
import { type CallCounter, createCallCounter } from './call-counts.ts';
import { createTransferCounter } from './transfer-counts.ts';

/** The source of `/metrics`: transfers, calls and the process (docs/operating/agent.md lists them). */
export interface Metrics {
  readonly calls: CallCounter;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** Counts from now on, until the signal fires. */
export function createMetrics(engine: Engine, signal: AbortSignal): Metrics {
  const counts = createTransferCounter();
  const calls = createCallCounter();
  void follow(engine, signal, counts.take);
  let page: Promise<{ text(): Promise<string> }> | null = null;
  return {
    calls,
    async text() {
      // Loaded on the first request: an agent without monitoring does not need this module in memory.
      page ??= import('./page.ts').then(({ metricsPage }) => metricsPage({ engine, counts, calls }));
      return (await page).text();
    },
  };
}

async function follow(
  engine: Engine,
  signal: AbortSignal,
  take: (event: Parameters<ReturnType<typeof createTransferCounter>['take']>[0]) => void,
) {
  for await (const event of engine.events.subscribe(null, signal)) take(event);
}
