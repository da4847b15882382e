import type { AutomationRecord } from './record.ts';

/**
 * The deadline of a transfer that an automation makes now: `due_at`, or `due_within_seconds` from now, whichever is
 * earlier; `undefined` without either. Milliseconds since 1970.
 */
export function dueAtOf(
  { due_at: at, due_within_seconds: within }: Pick<AutomationRecord['fields'], 'due_at' | 'due_within_seconds'>,
  now: number,
): number | undefined {
  const times = [...(at === undefined ? [] : [Date.parse(at)]), ...(within === undefined ? [] : [now + within * 1_000])];
  return times.length === 0 ? undefined : Math.min(...times);
}
