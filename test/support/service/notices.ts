import { newId } from '#service/ids.ts';
import { putPackage } from './packages.ts';
import type { TestService } from './start-service.ts';

/** A mail that tells of a package, as it was sent: its id, and the token that it carries. */
export async function putNoticeMail(t: TestService, teamId = t.teamId): Promise<{ readonly id: string; readonly token: string }> {
  const { db, mailedTokens, now } = t.service.services;
  const packageId = await putPackage(t, { team_id: teamId, name: 'Dailies <b>day 12</b>' });
  const [noticeId, id] = [newId(), newId()];
  const at = now();
  const notice = { id: noticeId, package_id: packageId, kind: 'downloaded', subject: id, told_at: at, created_at: at } as const;
  await db.insertInto('notices').values(notice).execute();
  const times = { created_at: at, updated_at: at };
  await db
    .insertInto('messages')
    .values({
      id,
      package_id: null,
      link_id: null,
      kind: 'notice',
      notice_id: noticeId,
      recipient: 'mia@example.com',
      state: 'sent',
      ...times,
    })
    .execute();
  return { id, token: mailedTokens.of(id) };
}
