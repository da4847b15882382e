import type { EarlierEvent } from './event-replay.ts';
import type { Happening } from './events.ts';
import type { Session } from './session/session.ts';
import type { AgentSettings } from './settings.ts';
import type { TransferRegistry } from './transfer/transfer-registry.ts';

/** The current state of the subject of an earlier run's event; `null` if it is gone, which a later event reports. */
export function currentState(
  { type, transferId }: EarlierEvent,
  registry: Pick<TransferRegistry, 'find' | 'view'>,
  session: Pick<Session, 'all'>,
  settings: Pick<AgentSettings, 'current'>,
): Happening | null {
  switch (type) {
    case 'transfer.added':
    case 'transfer.changed':
      return registry.find(transferId) ? { type, transfer: registry.view(transferId) } : null;
    case 'transfer.removed':
      return { type, transfer_id: transferId };
    case 'session.changed': {
      const login = session.all().find((one) => one.login && one.state === 'active');
      return { type, session: login?.user ? { user: login.user, teams: login.teams } : null };
    }
    case 'sessions.changed':
      return { type, sessions: session.all() };
    case 'settings.changed':
      return { type, settings: settings.current() };
    default:
      return null;
  }
}
