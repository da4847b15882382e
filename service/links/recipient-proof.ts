import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Context } from '../handler.ts';
import { sameSecret } from '../same-secret.ts';
import { codeOf } from './code.ts';
import { maskAddress } from './mask-address.ts';

type Parts = Pick<Context, 'db' | 'tokens' | 'mailedTokens' | 'now'>;

interface AskingLink {
  readonly id: string;
  readonly email: string;
}

/**
 * Checks that the caller can read the mail of a link's recipient: by the code that was mailed last, or by the proof that
 * an earlier code gave. Returns the proof, which opens the link again until it ends (contract/links.md §8).
 * Errors: `link_code_required`, `link_code_wrong`, `link_code_over`.
 */
export async function proveRecipient(parts: Parts, link: AskingLink, given: string): Promise<string> {
  const code = /^[\d\s-]+$/.test(given) ? given.replace(/\D/g, '') : '';
  if (code !== '') {
    await takeCode(parts, link.id, code);
    return await parts.tokens.sign('link_proof', { linkId: link.id });
  }
  const proof = given === '' ? null : await parts.tokens.verify('link_proof', given);
  // A proof that is over is none: another code is asked for.
  if (proof?.linkId !== link.id) throw new ApiError('link_code_required', { recipient: maskAddress(link.email) });
  return given;
}

/** An answer is counted before it is compared: as many at once as one likes gain no further guess. */
async function takeCode({ db, mailedTokens, now }: Parts, linkId: string, given: string): Promise<void> {
  const { linkCodeSeconds, linkCodeGuesses } = limits;
  const over = () => new ApiError('link_code_over', { minutes: linkCodeSeconds / 60, guesses: linkCodeGuesses });
  const { rows } = await sql<{ readonly message_id: string }>`
    update link_codes set guesses = guesses + 1
    where link_id = ${linkId} and guesses < ${linkCodeGuesses} and expires_at > ${now()}::timestamptz
    returning message_id`.execute(db);
  const messageId = rows[0]?.message_id;
  if (messageId === undefined) throw over();
  if (!sameSecret(codeOf(mailedTokens, messageId), given)) throw new ApiError('link_code_wrong');
  // Good for once: of two right answers at the same time one is too late.
  const { numDeletedRows } = await db
    .deleteFrom('link_codes')
    .where('link_id', '=', linkId)
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw over();
}
