import { ApiError } from '#protocol/errors.ts';
import type { TeamService } from './team-service.ts';

/**
 * How far a service's clock is ahead of this machine's, in milliseconds; 0 where its answer came between the two times
 * of this machine. Never too much: what follows from it begins a moment too early rather than too late.
 */
export function clockOffset(at: number, asked: number, answered: number): number {
  return asked <= at && at <= answered ? 0 : at - answered;
}

/** Asks for it; `null` at a service that does not tell its time. Other errors are those of the service. */
export async function serviceClockOffset(
  service: TeamService,
  teamId: string,
  now: () => number,
  signal: AbortSignal,
): Promise<number | null> {
  const asked = now();
  try {
    const { at } = await service.call('waitForPackages', { params: { team_id: teamId }, query: { wait: 0 }, signal });
    return clockOffset(Date.parse(at), asked, now());
  } catch (cause) {
    if (cause instanceof ApiError && (cause.status === 404 || cause.status === 405 || cause.status === 501)) return null;
    throw cause;
  }
}
