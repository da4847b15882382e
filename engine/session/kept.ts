import { v7 as uuid } from 'uuid';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { SecretStore } from '../secrets/ports.ts';
import type { Settings } from '../state/settings.ts';
import type { Writer } from '../state/writer.ts';
import type { Entry } from './entry.ts';

/** A session in the agent's database. Its token or key is in the secret store. */
interface KeptEntry {
  readonly id: string;
  readonly serviceUrl: string;
  readonly kind: Entry['kind'];
  readonly account: AgentSession | null;
  /** Why it ended; absent while it has not. */
  readonly ended?: string;
}

interface Kept {
  /** The one of `/login`; null for none. */
  readonly login: string | null;
  readonly sessions: readonly KeptEntry[];
}

interface KeptSessions {
  readonly login: string | null;
  readonly entries: readonly Entry[];
}

export interface Keeping {
  readonly secrets: SecretStore;
  readonly settings: Settings;
  readonly writer: Writer;
}

const settingName = 'sessions';
const secretName = (id: string): string => `session-${id}`;

/** Reads the sessions of the last run. One whose secret is gone has ended. */
export async function readKept(keeping: Keeping): Promise<KeptSessions> {
  await takeOverSingle(keeping);
  const kept = JSON.parse(keeping.settings.get(settingName) ?? '{"login":null,"sessions":[]}') as Kept;
  const entries = await Promise.all(
    kept.sessions.map(async ({ id, serviceUrl, kind, account, ended }): Promise<Entry> => {
      const secret = await keeping.secrets.get(secretName(id));
      const status =
        ended === undefined && secret !== null
          ? ({ state: 'active', secret } as const)
          : ({ state: 'ended', secret, reason: ended ?? 'Its secret is gone.' } as const);
      return { id, serviceUrl, kind, kept: true, status, account };
    }),
  );
  return { login: kept.login, entries };
}

/** Writes down which sessions there are, without their secrets. */
export function writeKept({ settings, writer }: Keeping, { login, entries }: KeptSessions): void {
  const sessions = entries
    .filter(({ kept }) => kept)
    .map(
      ({ id, serviceUrl, kind, account, status }): KeptEntry => ({
        id,
        serviceUrl,
        kind,
        account,
        ...(status.state === 'ended' ? { ended: status.reason } : {}),
      }),
    );
  const kept: Kept = { login: sessions.some(({ id }) => id === login) ? login : null, sessions };
  writer.write(() => settings.set(settingName, JSON.stringify(kept)));
}

export const keepSecret = ({ secrets }: Keeping, id: string, secret: string): Promise<void> => secrets.set(secretName(id), secret);
export const dropSecret = ({ secrets }: Keeping, id: string): Promise<void> => secrets.delete(secretName(id));

/** Migrates from agents that had a single session: it becomes the one of `/login`. Idempotent after a crash. */
async function takeOverSingle({ secrets, settings, writer }: Keeping): Promise<void> {
  const single = settings.get('session');
  if (single !== null) {
    const { serviceUrl, account } = JSON.parse(single) as { serviceUrl: string; account: AgentSession };
    const token = await secrets.get('user-token');
    const id = uuid();
    if (token !== null) await secrets.set(secretName(id), token);
    writer.write(() => {
      if (token !== null) {
        const kept: Kept = { login: id, sessions: [{ id, serviceUrl, kind: 'user', account }] };
        settings.set(settingName, JSON.stringify(kept));
      }
      settings.delete('session');
    });
    await writer.committed();
  }
  if ((await secrets.get('user-token')) !== null) await secrets.delete('user-token');
}
