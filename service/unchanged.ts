import { ApiError } from '#protocol/errors.ts';

/**
 * Refuses an update of what somebody else has changed since the caller read it: `state_conflict`. Call it with the row locked.
 *
 * @param expected `expected_updated_at` of the update; without it nothing is refused
 * @param what what it is, in the words of a sentence: `The form`
 */
export function requireUnchanged(expected: string | undefined, { updated_at: at }: { readonly updated_at: Date }, what: string): void {
  if (expected === undefined || Date.parse(expected) === at.getTime()) return;
  throw new ApiError('state_conflict', { detail: `${what} was changed meanwhile. Read it again.` });
}
