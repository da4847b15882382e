import { sql } from 'kysely';
import type { JobHandlersOf } from '../jobs/context.ts';
import { chainAllPending } from './chain.ts';
import { recordUserAudit } from './record.ts';
import { removeOldEntries } from './retention.ts';

/** The chain of the audit log, its end, and what is written down after its answer. */
export const auditJobs: JobHandlersOf<'audit.chain' | 'audit.sweep' | 'audit.sign_in_refused'> = {
  'audit.chain': async (_, { db }) => chainAllPending(db),

  'audit.sweep': async (_, { db, now }) => removeOldEntries(db, now()),

  async 'audit.sign_in_refused'({ email, address, user_agent: userAgent, at, reason }, { db }) {
    const user = await db.selectFrom('users').select('id').where(sql`lower(email)`, '=', email.toLowerCase()).executeTakeFirst();
    if (!user) return;
    const context = { source: { address, userAgent }, now: () => new Date(at) };
    await recordUserAudit(db, context, user.id, { action: 'session.refused', details: { reason } });
  },
};
