import { ApiError } from '#protocol/errors.ts';

/** Where a list by keyset goes on, as callers see it: `next` of a page, `after` of the following one (contract/conventions.md §6.5). */

/** `parts`: what says where a row stands in its order. */
export const formatNext = (parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The parts of `next`, once `isOurs` finds them to be what this list would have said. Error: `invalid_request`. */
export function parseAfter(text: string, isOurs: (parts: readonly string[]) => boolean): readonly string[] {
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
    if (Array.isArray(parts) && parts.every((part) => typeof part === 'string' && !part.includes('\0')) && isOurs(parts as string[])) {
      return parts as string[];
    }
  } catch {
    // Not one of ours.
  }
  throw new ApiError('invalid_request', { detail: 'The field after must be `next` of the page before, or left out.' });
}
