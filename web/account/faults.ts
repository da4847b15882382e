import { ServiceError } from '#client/errors.ts';
import { limits } from '#protocol/limits.ts';
import { formatDuration } from '#ui/format.ts';
import type { Locale } from '#ui/locale.ts';
import type { Messages } from '../messages/account.ts';

/** Why a token from a mail cannot be used. */
export type Ended = 'wrong' | 'expired' | 'used';

export function endedBy(error: unknown): Ended | null {
  if (!(error instanceof ServiceError)) return null;
  switch (error.error) {
    case 'not_found':
      return 'wrong';
    case 'token_expired':
      return 'expired';
    case 'token_used':
      return 'used';
    default:
      return null;
  }
}

/** The message for a failure that allows another try. An unknown failure is shown with the service's own text. */
export function faultText(error: unknown, { messages, tag }: Locale<Messages>): string {
  if (!(error instanceof ServiceError)) return error instanceof Error ? error.message : String(error);
  switch (error.error) {
    case 'rate_limited':
      return messages.faults.tooMany(formatDuration(error.retryAfter ?? 60, tag));
    case 'wrong_password':
      return messages.faults.wrongPassword;
    case 'service_unreachable':
    case 'service_refused':
    case 'request_stalled':
    case 'unavailable':
      return messages.faults.unreachable;
    default:
      return error.message;
  }
}

/** The problem with a new password, or null. */
export function newPasswordProblem(password: string, { messages, tag }: Locale<Messages>): string | null {
  const { min } = limits.passwordLength;
  return password.length < min ? messages.fields.tooShort(new Intl.NumberFormat(tag).format(min)) : null;
}
