import { ApiError } from '#protocol/errors.ts';
import { fromWire } from './accounts/times.ts';

/**
 * Parses a date-time that a caller sent in `field`; absent and the zero date-time are null. The schema's format
 * accepts leap seconds, which a `Date` cannot represent: `invalid_request` naming the field.
 */
export function momentFrom(text: string | undefined, field: string): Date | null {
  const at = fromWire(text);
  if (at && Number.isNaN(at.getTime())) throw new ApiError('invalid_request', { detail: `${field}: there is no such moment as ${text}.` });
  return at;
}
