import type { ApplicationToken } from '#protocol/agent/tokens.ts';

/** Whether a time is set: the API sends the year 1 for an unset one. */
export const isSet = (moment: string): boolean => Date.parse(moment) > 0;

/** Whether a token is not valid any more. */
export function isOver(
  { revoked_at: revoked, expires_at: expires }: Pick<ApplicationToken, 'revoked_at' | 'expires_at'>,
  now: Date,
): boolean {
  return isSet(revoked) || (isSet(expires) && Date.parse(expires) <= now.getTime());
}

/** The time `days` from now; `undefined` for never. */
export function endAfter(days: number, now: Date): string | undefined {
  return days > 0 ? new Date(now.getTime() + days * 86_400_000).toISOString() : undefined;
}
