import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { atMost } from '../at-most.ts';
import type { Database } from '../database/schema/database.ts';

/** Who gave a Portal's access code, for all processes: other people's wrong guesses do not keep them out. */
export interface KnownSenders {
  has(sender: PortalSender): Promise<boolean>;
  add(sender: PortalSender): Promise<void>;
  /** Forgets those of long ago. */
  sweep(): Promise<void>;
}

export interface PortalSender {
  readonly portalId: string;
  /** The sender's address. */
  readonly ip: string;
  /** A changed one makes nobody known any more. */
  readonly accessCode: string;
}

const keptMilliseconds = 180 * 24 * 3_600_000;
const remembered = 10_000;

/** `db` is not a request's transaction: that a code was right stands whatever becomes of the request. */
export function createKnownSenders(db: Kysely<Database>, now: () => Date): KnownSenders {
  const known = new LRUCache<string, true>(atMost(remembered));
  const digest = ({ portalId, ip, accessCode }: PortalSender): Buffer =>
    createHash('sha256')
      .update(JSON.stringify([portalId, ip, accessCode]))
      .digest();
  return {
    async has(sender) {
      const row = digest(sender);
      if (known.get(row.toString('base64'))) return true;
      const found = await db.selectFrom('portal_senders').select('portal_id').where('sender', '=', row).executeTakeFirst();
      if (found) known.set(row.toString('base64'), true);
      return found !== undefined;
    },
    async add(sender) {
      const row = digest(sender);
      // Nothing for a Portal that was deleted meanwhile.
      await sql`
        insert into portal_senders (sender, portal_id, known_at)
        select ${row}::bytea, id, ${now()}::timestamptz from portals where id = ${sender.portalId}
        on conflict (sender) do update set known_at = excluded.known_at`.execute(db);
      known.set(row.toString('base64'), true);
    },
    async sweep() {
      await db
        .deleteFrom('portal_senders')
        .where('known_at', '<', new Date(now().getTime() - keptMilliseconds))
        .execute();
    },
  };
}
