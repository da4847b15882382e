import { v7 as uuid } from 'uuid';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { SecretStore } from '../secrets/ports.ts';
import type { Settings } from '../state/settings.ts';
import type { Writer } from '../state/writer.ts';
import type { SessionEntry } from './session-entry.ts';

/** A session in the agent's database. Its token or key is in the secret store. */
interface SavedSession {
  readonly id: string;
  readonly serviceUrl: string;
  readonly kind: SessionEntry['kind'];
  readonly account: AgentSession | null;
  /** Why it ended; absent while it has not. */
  readonly ended?: string;
}

interface SavedSessions {
  /** The session that `/login` refers to; null if there is none. */
  readonly login: string | null;
  readonly sessions: readonly SavedSession[];
}

interface Sessions {
  readonly login: string | null;
  readonly entries: readonly SessionEntry[];
}

export interface SessionStorage {
  readonly secrets: SecretStore;
  readonly settings: Settings;
  readonly writer: Writer;
}

const settingName = 'sessions';
const secretName = (id: string): string => `session-${id}`;

/** Reads the sessions of the last run. Without its secret a session has ended. */
export async function readSessions(storage: SessionStorage): Promise<Sessions> {
  await migrateSingleSession(storage);
  const saved = JSON.parse(storage.settings.get(settingName) ?? '{"login":null,"sessions":[]}') as SavedSessions;
  const entries = await Promise.all(
    saved.sessions.map(async ({ id, serviceUrl, kind, account, ended }): Promise<SessionEntry> => {
      const secret = await storage.secrets.get(secretName(id));
      const status =
        ended === undefined && secret !== null
          ? ({ state: 'active', secret } as const)
          : ({ state: 'ended', secret, reason: ended ?? 'Its secret is gone.' } as const);
      return { id, serviceUrl, kind, isSaved: true, status, account };
    }),
  );
  return { login: saved.login, entries };
}

/** Saves the sessions without their secrets. */
export function writeSessions({ settings, writer }: SessionStorage, { login, entries }: Sessions): void {
  const sessions = entries
    .filter(({ isSaved }) => isSaved)
    .map(
      ({ id, serviceUrl, kind, account, status }): SavedSession => ({
        id,
        serviceUrl,
        kind,
        account,
        ...(status.state === 'ended' ? { ended: status.reason } : {}),
      }),
    );
  const saved: SavedSessions = { login: sessions.some(({ id }) => id === login) ? login : null, sessions };
  writer.write(() => settings.set(settingName, JSON.stringify(saved)));
}

export const saveSecret = ({ secrets }: SessionStorage, id: string, secret: string): Promise<void> => secrets.set(secretName(id), secret);
export const deleteSecret = ({ secrets }: SessionStorage, id: string): Promise<void> => secrets.delete(secretName(id));

/** Migrates from agents that had a single session: it becomes the one of `/login`. Idempotent after a crash. */
async function migrateSingleSession({ secrets, settings, writer }: SessionStorage): Promise<void> {
  const single = settings.get('session');
  if (single !== null) {
    const { serviceUrl, account } = JSON.parse(single) as { serviceUrl: string; account: AgentSession };
    const token = await secrets.get('user-token');
    const id = uuid();
    if (token !== null) await secrets.set(secretName(id), token);
    writer.write(() => {
      if (token !== null) {
        const saved: SavedSessions = { login: id, sessions: [{ id, serviceUrl, kind: 'user', account }] };
        settings.set(settingName, JSON.stringify(saved));
      }
      settings.delete('session');
    });
    await writer.committed();
  }
  if ((await secrets.get('user-token')) !== null) await secrets.delete('user-token');
}
