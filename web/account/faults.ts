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

/** What is wrong with what was entered, or the failure of an attempt that allows another one. */
export type Problem = 'name_missing' | 'password_short' | 'has_account' | { readonly error: unknown };

/** What the page says of a problem, in the language that it has now; null without a problem. */
export function problemText(problem: Problem | null, locale: Locale<Messages>): string | null {
  if (problem === null) return null;
  const { messages, tag } = locale;
  switch (problem) {
    case 'name_missing':
      return messages.fields.nameMissing;
    case 'password_short':
      return messages.fields.tooShort(new Intl.NumberFormat(tag).format(limits.passwordLength.min));
    case 'has_account':
      return messages.invitation.hasAccount;
    default:
      return failureText(problem.error, locale);
  }
}

/** An unknown failure is shown with the service's own text. */
export function failureText(error: unknown, { messages, tag }: Locale<Messages>): string {
  if (!(error instanceof ServiceError)) return error instanceof Error ? error.message : String(error);
  switch (error.error) {
    case 'rate_limited':
      return messages.faults.tooMany(formatDuration(error.retryAfter ?? 60, tag));
    case 'wrong_password':
      return messages.faults.wrongPassword;
    case 'mfa_wrong':
      return messages.faults.wrongCode;
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
export const newPasswordProblem = (password: string): Problem | null =>
  password.length < limits.passwordLength.min ? 'password_short' : null;
