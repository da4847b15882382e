import { AgentError } from '#protocol/errors.ts';

/** A deadline that was given, in milliseconds since 1970. `invalid_request` for one that has passed. */
export function checkedDueAt(given: string, now: number): number {
  const dueAt = Date.parse(given);
  if (dueAt <= now) throw new AgentError('invalid_request', { detail: 'The field due_at lies in the past.' });
  return dueAt;
}
