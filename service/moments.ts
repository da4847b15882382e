import { ApiError } from '#protocol/errors.ts';
import { fromWire } from './accounts/times.ts';

/**
 * A date-time that a caller sent in `field`; absent and the zero date-time are null. The schema's format lets
 * leap seconds through, which no `Date` can hold: `invalid_request` naming the field.
 */
export function momentFrom(text: string | undefined, field: string): Date | null {
  const at = fromWire(text);
  if (at && Number.isNaN(at.getTime())) throw new ApiError('invalid_request', { detail: `${field}: there is no such moment as ${text}.` });
  return at;
}
