import { ProviderError } from '../errors.ts';

/** Frame.io has announced that its V2 API ends on this day. */
const closes = Date.parse('2026-12-01T00:00:00Z');

/** What validation tells: nothing is sent to an interface that is about to be gone. */
export function refuseFrameioLegacy(now: Date): never {
  throw new ProviderError(
    'not_offered',
    `Frame.io ${now.getTime() < closes ? 'closes' : 'closed'} its legacy API on 1 December 2026, and Longshore does not use it. Move the account to Frame.io V4, then make a connection to Frame.io (V4).`,
  );
}
