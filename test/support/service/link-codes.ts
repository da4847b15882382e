import { codeOf } from '#service/links/code.ts';
import type { TestService } from '#test/support/service/start-service.ts';

/** The code of a link that counts, as the mail has it. */
export async function linkCode({ service }: Pick<TestService, 'service'>, linkId: string): Promise<string> {
  const { db, mailedTokens } = service.services;
  const { message_id: id } = await db.selectFrom('link_codes').select('message_id').where('link_id', '=', linkId).executeTakeFirstOrThrow();
  return codeOf(mailedTokens, id);
}
