import { describe, expect, it } from 'vitest';
import { accountLetter } from '#service/mail/account-letter.ts';
import { plainBrand } from '#service/mail/brand.ts';
import { compose } from '#service/mail/compose.ts';
import { type Letter, letterFor } from '#service/mail/letter.ts';
import { linkCodeLetter } from '#service/mail/link-code-letter.ts';
import { noticeLetter } from '#service/mail/notice-letter.ts';
import { portalRequestLetter } from '#service/mail/portal-request-letter.ts';
import { quotaLetter } from '#service/mail/quota-letter.ts';
import { textPart } from '#service/mail/text-part.ts';
import { transferLetter } from '#service/mail/transfer-letter.ts';
import { sampleLetterFacts } from '#test/support/service/mail-facts.ts';

/** As names may come: of folders on Linux, or pasted. */
const name = 'Day 12\r\nBcc: victim@example.com\r\n\r\n---\nOur bank account has changed\u0007\u001b[31m\u202e';
const until = new Date('2026-11-28T14:00:00Z');
const page = 'https://share.example.com/p';
const asker = { name, email: 'mia@example.com' };

const letters: Readonly<Record<string, Letter>> = {
  link: letterFor(sampleLetterFacts({ packageName: name, sender: name }), 'en'),
  upload: letterFor(sampleLetterFacts({ packageName: name, sender: name, portal: { name, copy: true } }), 'de'),
  notice: noticeLetter(
    {
      ...({
        kind: 'downloaded',
        packageName: name,
        files: 3,
        bytes: 9,
        expiry: until,
        at: until,
        person: name,
        reason: { text: '', language: 'en' },
      } as const),
      ...({ page, after: 'deleted', stop: page } as const),
    },
    'en',
  ),
  quota: quotaLetter({ kind: 'storage', percent: 80, team: name, portal: name, limit: 5e12, used: 4e12, at: until, page }, 'de'),
  'link code': linkCodeLetter({ code: '12345678', packageName: name, sender: name }, 'en'),
  transfer: transferLetter(
    { packageName: name, provider: 'Amazon S3', folder: name, files: 3, bytes: 9, failed: false, message: { text: '', language: 'en' } },
    'en',
    'share.example.com',
  ),
  'Portal request': portalRequestLetter({ portal: name, team: name, asker, message: '', until, codeNeeded: true, link: page }, 'de'),
  invitation: accountLetter(
    { kind: 'invitation', team: name, inviter: asker, role: 'member', until, link: page },
    'en',
    'share.example.com',
  ),
};

describe('names with line breaks and control characters', () => {
  it.each(Object.entries(letters))('stay on their line in a message of kind %s', async (_, letter) => {
    const brand = plainBrand('Longshore');
    expect(letter.subject).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    const text = textPart(letter, brand);
    expect(text).toContain('Bcc: victim@example.com');
    expect(text).not.toMatch(/^(Bcc:|Our bank)/m);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text.match(/^---$/gm)).toHaveLength(1);
    const from = { name, address: 'files@example.com' };
    const envelope = { id: 'a1', at: until, from, to: 'post@example.com', replyTo: null, unsubscribe: null };
    const message = (await compose(letter, brand, envelope)).toString('utf8');
    expect(message.slice(0, message.indexOf('\r\n\r\n'))).not.toMatch(/^bcc:/im);
  });
});

it('encoded words in names are no encoded words of a header', async () => {
  const encoded = '=?utf-8?Q?Harbour=0D=0ABcc:_victim@example.com?=';
  const facts = { kind: 'invitation', team: encoded, inviter: asker, role: 'member', until, link: page } as const;
  const from = { name: encoded, address: 'files@example.com' };
  const envelope = { id: 'a1', at: until, from, to: 'post@example.com', replyTo: null, unsubscribe: null };
  const message = await compose(accountLetter(facts, 'en', 'share.example.com'), plainBrand('Longshore'), envelope);
  const head = message.toString('utf8').split('\r\n\r\n')[0]!;
  expect(head.replaceAll(/\r\n[ \t]/g, ' ')).toMatch(/^Subject: .*invites you/m);
  expect(head).not.toContain('=?');
});
