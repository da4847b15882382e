import type { JobHandlersOf } from '../jobs/context.ts';
import { deleteEndedSessions } from '../sessions/sessions.ts';
import { mailPasswordReset } from './password-reset.ts';

const day = 24 * 3_600_000;
/** Kept this long so that late visitors get an explanation, and mails can be counted. */
const keptDays = 30;

/** Password resets, and the cleanup of expired mailed tokens and of sessions that are over. */
export const accountJobs: JobHandlersOf<'accounts.password_reset' | 'accounts.sweep'> = {
  'accounts.password_reset': mailPasswordReset,

  async 'accounts.sweep'(_, { db, now }) {
    const before = new Date(now().getTime() - keptDays * day);
    // Their messages are deleted by cascade.
    await db.deleteFrom('invitations').where('expires_at', '<', before).execute();
    await db.deleteFrom('password_resets').where('expires_at', '<', before).execute();
    await db.deleteFrom('email_changes').where('expires_at', '<', before).execute();
    await db.deleteFrom('portal_requests').where('created_at', '<', before).execute();
    await deleteEndedSessions(db, now());
    await db.deleteFrom('used_challenges').where('expires_at', '<', now()).execute();
    await db
      .deleteFrom('messages')
      .where('package_id', 'is', null)
      // By these people turn notices off, however late; they go with their package.
      .where('notice_id', 'is', null)
      .where('created_at', '<', before)
      .where('state', '!=', 'waiting')
      .execute();
  },
};
