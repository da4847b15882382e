import { FrameioApiError, type World } from './world.ts';

/** Calls in a window of milliseconds, by method and path. */
const limits: readonly (readonly [route: RegExp, calls: number, window: number])[] = [
  [/^GET \/projects\/[^/]+$/, 100, 60_000],
  [/^GET \/folders\/[^/]+\/children$/, 100, 60_000],
  [/^POST \/folders\/[^/]+\/folders$/, 3, 1000],
  [/^DELETE \/folders\/[^/]+$/, 60, 60_000],
  [/^POST \/folders\/[^/]+\/files\/local_upload$/, 5, 1000],
  [/^GET \/files\/[^/]+$/, 5, 1000],
  [/^GET \/files\/[^/]+\/status$/, 5, 1000],
  [/^DELETE \/files\/[^/]+$/, 100, 60_000],
];

/** Counts a call, in a bucket that leaks. The headers that its answer has. */
export function countCall(world: World, route: string): Readonly<Record<string, string>> {
  const limit = limits.find(([pattern]) => pattern.test(route));
  if (!limit) return {};
  const [pattern, calls, window] = limit;
  const at = world.now().getTime();
  const bucket = world.buckets.get(pattern.source) ?? { level: 0, at };
  const level = Math.max(0, bucket.level - ((at - bucket.at) * calls) / window);
  const headers = (remaining: number) => ({
    'x-ratelimit-limit': String(calls),
    'x-ratelimit-remaining': String(Math.max(0, Math.floor(remaining))),
    'x-ratelimit-window': String(window),
  });
  if (world.limited && level + 1 > calls) {
    world.throttled++;
    throw new FrameioApiError(429, 'Too Many Requests', headers(0));
  }
  world.buckets.set(pattern.source, { level: level + 1, at });
  return headers(calls - level - 1);
}
