import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Brand, plainBrand } from '#service/mail/brand.ts';
import { compose } from '#service/mail/compose.ts';
import { escapeHtml, htmlPart } from '#service/mail/html-part.ts';
import { type LetterFacts, letterFor } from '#service/mail/letter.ts';
import { openMail, parseFrom } from '#service/mail/open.ts';
import { textPart } from '#service/mail/text-part.ts';
import { anyCharacter } from '#test/support/any-text.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { harbour, northlight, sampleLetterFacts } from '#test/support/service/mail-facts.ts';

const full = sampleLetterFacts({
  portal: northlight,
  description: 'Sound follows.\n-- \nhttps://evil.example.com',
  passwordNeeded: true,
  form: {
    name: 'Camera report',
    answers: [
      { label: 'Camera', text: 'A\nB' },
      { label: 'Sound?', text: 'No' },
    ],
  },
});

const html = (facts: LetterFacts, brand: Brand = harbour) => htmlPart(letterFor(facts, 'en'), brand);

describe('the plain part', () => {
  it('reads well, and quotes what the sender wrote', () => {
    expect(textPart(letterFor(full, 'en'), harbour)).toBe(`Dailies, day 12
mia@example.com uploaded files to Northlight dailies.

Download:
https://share.example.com/d/019aa1b2?secret=a&b

From:            mia@example.com
Content:         3 files, 1.4 GB
Available until: 28 November 2026 at 14:00 UTC
Password:        Needed. It is not in this message: your Team has it.

mia@example.com writes:
> Sound follows.
> --
> https://evil.example.com

Camera report:
Camera:
> A
> B
Sound?
> No

---
You get this message because your address is among those that Northlight dailies tells of uploads. Whoever has the link can download the files.
Harbour Films
Imprint: https://example.com/imprint
Privacy policy: https://example.com/privacy?a=1&b=2
`);
  });

  it('has no link where there is none', () => {
    expect(textPart(letterFor(sampleLetterFacts({ kind: 'receipt', link: null }), 'en'), plainBrand(''))).not.toMatch(/Download|http/);
  });
});

describe('the HTML part', () => {
  const anything = fc.string({ unit: anyCharacter, maxLength: 200 });

  it('has the same text, escaped, and loads the logo alone', () => {
    const made = html(full);
    expect(made).toContain('href="https://share.example.com/d/019aa1b2?secret=a&amp;b"');
    expect(made).toContain('Sound follows.<br>--<br>https<span>:</span>//evil<span>.</span>example<span>.</span>com');
    expect(made.match(/\bsrc="[^"]*"/g)).toEqual([`src="${harbour.logo!.url}"`]);
    expect(made).toContain('width="160" height="40" alt="Harbour Films"');
    expect(made).not.toMatch(/<(script|link|iframe|object|form)\b|url\(|@import/i);
    expect(html(full, plainBrand('Longshore'))).not.toMatch(/<img|\bsrc=/);
  });

  it('contains no tag written by others', () => {
    const tags = (html: string) => html.match(/<[a-z/!][^>]*>/gi)!.length;
    fc.assert(
      fc.property(anything, anything, anything, (packageName, sender, name) => {
        const facts = sampleLetterFacts({
          packageName: `${packageName}<b a='"'>`,
          sender: `<i>${sender}"`,
          portal: { ...northlight, name: `&lt;${name}` },
        });
        const tame = sampleLetterFacts({ packageName: 'x', sender: 'x', portal: northlight });
        expect(tags(html(facts))).toBe(tags(html(tame)));
      }),
    );
  });

  it.each([
    ['#ffffff', '#000000'],
    ['#ffff00', '#000000'],
    ['#1d5fbf', '#ffffff'],
    ['#000000', '#ffffff'],
    ['#808080', '#000000'],
  ])('writes on a button of %s in %s', (color, ink) => {
    expect(html(sampleLetterFacts(), { ...harbour, color })).toContain(`background:${color};color:${ink};`);
  });

  it('escapes for text and attributes', () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;');
  });
});

describe('a message', () => {
  const envelope = {
    id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
    at: new Date('2026-11-20T18:04:11Z'),
    from: { name: 'Harbour – Filme', address: 'files@harbour.example' },
    to: 'post@example.com',
    replyTo: 'mia@example.com',
    unsubscribe: null,
  };
  const made = async (changes: Partial<typeof envelope> | { replyTo: null } = {}, facts = full) =>
    (await compose(letterFor(facts, 'en'), harbour, { ...envelope, ...changes })).toString('latin1');
  const headersOf = (message: string) => message.slice(0, message.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');

  it('is the same bytes each time', async () => {
    expect(await made()).toBe(await made());
  });

  it('has the headers that mail programs and auto-responders read', async () => {
    const headers = headersOf(await made());
    for (const header of [
      'Message-ID: <019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b@harbour.example>',
      'Date: Fri, 20 Nov 2026 18:04:11 +0000',
      'From: =?UTF-8?Q?Harbour_=E2=80=93_Filme?= <files@harbour.example>',
      'To: post@example.com',
      'Reply-To: mia@example.com',
      'Auto-Submitted: auto-generated',
      'Content-Language: en',
    ])
      expect(headers.split('\r\n')).toContain(header);
    expect(headersOf(await made({ replyTo: null }))).not.toMatch(/^Reply-To/im);
  });

  it('has short lines in ASCII, which every server accepts', async () => {
    const message = await made({}, sampleLetterFacts({ packageName: '𝄞'.repeat(255), description: 'é'.repeat(9_000) }));
    expect(message.replaceAll(/\r\n|\t/g, '')).toMatch(/^[ -~]*$/);
    for (const line of message.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
  });

  it('has one recipient and its own headers, whatever the names are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 120 }), async (text) => {
        const packageName = `${text}\r\nBcc: victim@example.com\r\n\r\n<script>`;
        const headers = headersOf(await made({}, sampleLetterFacts({ packageName })));
        const names = headers.split('\r\n').map((line) => line.split(':')[0]!.toLowerCase());
        expect(names.toSorted()).toEqual([
          ...['auto-submitted', 'content-language', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'reply-to'],
          ...['subject', 'to', 'x-auto-response-suppress'],
        ]);
      }),
      { numRuns: runs(12, 500) },
    );
  });
});

describe('whom mail is from', () => {
  it.each([
    ['files@example.com', { name: '', address: 'files@example.com' }],
    [' Harbour Films <files@example.com> ', { name: 'Harbour Films', address: 'files@example.com' }],
    ['"Harbour, Films" <files@example.com>', { name: 'Harbour, Films', address: 'files@example.com' }],
    ['<files@example.com>', { name: '', address: 'files@example.com' }],
  ])('%j', (text, from) => {
    expect(parseFrom(text)).toEqual(from);
  });

  it.each(['', 'Harbour', 'Harbour <files>', 'a@b.c, d@e.f', 'Harbour <a@b.c> <d@e.f>', 'Har\r\nbour <a@b.c>', '<a@b.c'])(
    'is not %j',
    (text) => {
      expect(() => parseFrom(text)).toThrow(expect.objectContaining({ code: 'option_invalid' }));
    },
  );

  it("is the service's own name where none is given, if it has one", () => {
    const at = (publicUrl: string, smtpUrl?: string) =>
      openMail({ outbox: '/nowhere', publicUrl, ...(smtpUrl && { smtpUrl }) }).from.address;
    expect(at('https://share.example.com:8443')).toBe('no-reply@share.example.com');
    expect(at('http://127.0.0.1:8080')).toBe('no-reply@localhost');
    for (const local of ['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost'])
      expect(() => at(local, 'smtp://127.0.0.1')).toThrow(/--mail-from/);
  });
});
