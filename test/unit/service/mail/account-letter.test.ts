import { describe, expect, it } from 'vitest';
import { accountLetter } from '#service/mail/account-letter.ts';
import { plainBrand } from '#service/mail/brand.ts';
import { htmlPart } from '#service/mail/html-part.ts';
import { textPart } from '#service/mail/text-part.ts';

const plain = plainBrand('');
const until = new Date('2026-11-28T14:00:00Z');
const invitation = {
  kind: 'invitation',
  team: 'Northlight',
  inviter: { name: 'Mia Sandberg', email: 'mia@example.com' },
  role: 'integration_manager',
  until,
  link: 'https://share.example.com/invitation#token',
} as const;

describe('a message about an account', () => {
  it('reads well, in English and in German', () => {
    expect(textPart(accountLetter(invitation, 'en', 'share.example.com'), plain)).toBe(`Join Northlight
Mia Sandberg invites you to the Team Northlight, which sends and receives files here.

Look at the invitation:
https://share.example.com/invitation#token

Team:        Northlight
Invited by:  Mia Sandberg (mia@example.com)
Role:        Integration manager
Valid until: 28 November 2026 at 14:00 UTC
Service:     share.example.com

---
You get this message because Mia Sandberg named your address. The invitation works once, so do not pass it on. If you do not want to join, you need not do anything.
`);
    const german = textPart(
      accountLetter({ kind: 'email_changed', email: 'mia@example.com', at: until }, 'de', 'share.example.com'),
      plain,
    );
    expect(german).toContain('Konto:  mia@example.com\nWann:   28. November 2026 um 14:00 UTC\nDienst: share.example.com');
    expect(german).not.toContain('https://');
  });

  it('cuts and escapes the names of other people, which cannot break a line', () => {
    const hostile = {
      ...invitation,
      team: `A\r\nBcc: x@example.com\u202e${'long '.repeat(60)}`,
      inviter: { name: '<a href="x">', email: 'm@example.com' },
    };
    const letter = accountLetter(hostile, 'en', 'share.example.com');
    expect(letter.subject).not.toMatch(/[\r\n\u202e]/);
    expect(letter.subject.length).toBeLessThan(200);
    expect(htmlPart(letter, plain)).not.toContain('<a href="x">');
    expect(htmlPart(letter, plain)).toContain('&lt;a href=&quot;x&quot;&gt;');
  });
});
