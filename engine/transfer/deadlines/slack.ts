import { ranks } from '../order.ts';
import type { Contender, LineSpeeds } from './contender.ts';

/** Bytes a second that count until some are measured: 10 Mbit/s. */
export const assumedSpeed = 1_250_000;

/** Milliseconds that this many bytes take. */
export function timeFor(bytes: number, bytesPerSecond: number): number {
  return bytes === 0 ? 0 : (bytes / bytesPerSecond) * 1_000;
}

/** The speed that a transfer has if nothing else moves in its direction. */
export function wholeLine({ kind, rateLimit }: Pick<Contender, 'kind' | 'rateLimit'>, line: LineSpeeds): number {
  return Math.min(line[kind] ?? assumedSpeed, rateLimit === 0 ? Number.POSITIVE_INFINITY : rateLimit);
}

/**
 * How long a transfer could still wait and be in time with the whole line: due − now − bytes left / measured speed, in
 * milliseconds. Negative: the deadline cannot be met. Without a deadline it could wait for ever.
 */
export function slackOf(one: Pick<Contender, 'kind' | 'rateLimit' | 'dueAt' | 'bytesLeft'>, line: LineSpeeds, now: number): number {
  if (one.dueAt === null) return Number.POSITIVE_INFINITY;
  return one.dueAt - now - timeFor(one.bytesLeft ?? 0, wholeLine(one, line));
}

/** Transfers in the order of their turns: by priority, then by least slack, then by position. */
export function byTurn<C extends Contender>(all: readonly C[], line: LineSpeeds, now: number): C[] {
  const slack = new Map(all.map((one) => [one, slackOf(one, line, now)]));
  return [...all].sort(
    (a, b) => ranks[a.priority] - ranks[b.priority] || difference(slack.get(a)!, slack.get(b)!) || a.position - b.position,
  );
}

/** Two infinite ones are equal. */
const difference = (a: number, b: number): number => (a === b ? 0 : a - b);
