import { setTimeout as sleep } from 'node:timers/promises';
import { peakBytesOf, resetPeak } from '../measure/processes.ts';
import { quantiles } from '../statistics.ts';

/** What four deliveries at once cost everybody else. */
export interface FourAtOnce {
  readonly seconds: number;
  /** Of the service: its resident memory before, and by how much it grew. */
  readonly restingBytes: number;
  readonly growthBytes: number;
  /** Milliseconds of a call of the hosted API. */
  readonly idle: Latency;
  readonly meanwhile: Latency;
}

interface Latency {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
}

interface FourAtOnceOptions {
  readonly pid: number;
  /** Delivers one large file. */
  readonly deliver: () => Promise<void>;
  /** A call of the hosted API. */
  readonly call: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

const deliveries = 4;
/** Between two calls, so that they tell what a caller waits and are no load themselves. */
const intervalMilliseconds = 10;
const idleCalls = 500;

/** Four large files at once, beside calls of the API one after the other; the same calls before, while nothing is under way. */
export async function measureFourAtOnce({ pid, deliver, call, signal }: FourAtOnceOptions): Promise<FourAtOnce> {
  const callsUntil = async (isOver: (calls: number) => boolean): Promise<Latency> => {
    const times: number[] = [];
    while (!isOver(times.length)) {
      const began = performance.now();
      await call();
      times.push(performance.now() - began);
      await sleep(intervalMilliseconds, undefined, { signal });
    }
    const [p50, p99] = quantiles(times, [0.5, 0.99]);
    return { calls: times.length, p50: p50!, p99: p99! };
  };
  // Also for code that has not been compiled yet.
  await callsUntil((calls) => calls === idleCalls);
  const idle = await callsUntil((calls) => calls === idleCalls);

  resetPeak(pid);
  const restingBytes = peakBytesOf(pid);
  const began = performance.now();
  let isOver = false;
  const delivered = Promise.all(Array.from({ length: deliveries }, deliver)).finally(() => {
    isOver = true;
  });
  const [meanwhile] = await Promise.all([callsUntil(() => isOver), delivered]);
  return { seconds: (performance.now() - began) / 1_000, restingBytes, growthBytes: peakBytesOf(pid) - restingBytes, idle, meanwhile };
}
