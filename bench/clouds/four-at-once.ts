import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../statistics.ts';
import { peakOfService, resetServicePeak } from './service-memory.ts';

/** What four deliveries at once cost everybody else. */
export interface FourAtOnce {
  readonly seconds: number;
  /** Of the service: its resident memory before, and by how much it grew. */
  readonly restingBytes: number;
  readonly growthBytes: number;
  /** Milliseconds of a call of the hosted API. */
  readonly idle: Latency;
  readonly meanwhile: Latency;
  /** The same while four copies by rclone had the machine in their place; null without rclone. */
  readonly besideRclone: Latency | null;
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
  /** Copies it by rclone, to a place of that name. */
  readonly copy: ((place: string) => Promise<void>) | null;
  /** What has arrived is counted, and removed. */
  readonly settle: () => Promise<void>;
  /** A call of the hosted API. */
  readonly call: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

const atOnce = 4;
/** Between two calls, so that they tell what a caller waits and are no load themselves. */
const intervalMilliseconds = 10;
const idleCalls = 500;

/**
 * Four large files at once, beside calls of the API one after the other; the same calls before, while nothing is under way, and
 * once more beside four copies by rclone: what the gateway and a full machine alone do to a caller.
 */
export async function measureFourAtOnce({ pid, deliver, copy, settle, call, signal }: FourAtOnceOptions): Promise<FourAtOnce> {
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
  const callsBeside = async (work: (index: number) => Promise<void>): Promise<Latency> => {
    let isOver = false;
    const done = Promise.all(Array.from({ length: atOnce }, (_, index) => work(index))).finally(() => {
      isOver = true;
    });
    const [latency] = await Promise.all([callsUntil(() => isOver), done]);
    await settle();
    return latency;
  };
  // Also for code that has not been compiled yet.
  await callsUntil((calls) => calls === idleCalls);
  const idle = await callsUntil((calls) => calls === idleCalls);

  resetServicePeak(pid);
  const restingBytes = peakOfService(pid);
  const began = performance.now();
  let seconds = 0;
  const meanwhile = await callsBeside(async () => {
    await deliver();
    seconds = (performance.now() - began) / 1_000;
  });
  const growthBytes = peakOfService(pid) - restingBytes;
  const besideRclone = copy && (await callsBeside((index) => copy(`copy-${index}`)));
  return { seconds, restingBytes, growthBytes, idle, meanwhile, besideRclone };
}
