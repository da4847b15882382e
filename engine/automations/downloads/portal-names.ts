import { ApiError } from '#protocol/errors.ts';
import type { TeamService } from './team-service.ts';

/** The name of a Portal, for a folder; its id where this account may not know it, or it is gone. */
export type PortalNames = (service: TeamService, portalId: string, signal: AbortSignal) => Promise<string>;

const unreadable: ReadonlySet<string> = new Set(['not_found', 'not_allowed', 'access_code_wrong']);

/** Asks for each Portal once, so that all its packages get the same folder as long as the automation works. */
export function portalNames(): PortalNames {
  const known = new Map<string, string>();
  return async (service, portalId, signal) => {
    const before = known.get(portalId);
    if (before !== undefined) return before;
    const request = { params: { portal_id: portalId }, signal };
    const asked = [() => service.call('getPortal', request), () => service.anonymous.call('getPortal', request)];
    for (const ask of asked) {
      try {
        const { name } = await ask();
        known.set(portalId, name);
        return name;
      } catch (cause) {
        if (!(cause instanceof ApiError) || !unreadable.has(cause.error)) throw cause;
      }
    }
    return portalId;
  };
}
