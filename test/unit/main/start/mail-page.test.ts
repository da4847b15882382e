import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readMail } from '#main/start/mail-file.ts';
import { startMailPage } from '#main/start/mail-page.ts';
import { plainBrand } from '#service/mail/brand.ts';
import { compose } from '#service/mail/compose.ts';
import type { Letter } from '#service/mail/letter.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const link = `https://files.example.com/invitation#${'x'.repeat(90)}`;
const letter: Letter = {
  subject: 'Übergröße: “Drehtag 12” <b>',
  heading: 'Kommen Sie dazu',
  opening: 'Zwölf Größen, ein "<script>alert(1)</script>" & mehr.',
  facts: [{ label: 'Team', value: 'Häfen' }],
  note: null,
  form: null,
  link,
  button: 'Öffnen',
  closing: 'Das war es.',
  language: 'de',
};
const mail = async (id: string, changes: Partial<Letter> = {}): Promise<string> =>
  (
    await compose({ ...letter, ...changes }, plainBrand(''), {
      id,
      at: new Date('2026-11-27T14:06:08Z'),
      from: { name: 'Longshore', address: 'no-reply@example.com' },
      to: 'jonas@example.com',
      replyTo: null,
      unsubscribe: null,
    })
  ).toString('latin1');

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

it('reads what the service writes, in any letters and with lines of any length', async () => {
  const read = readMail(await mail('m1'));
  expect([read.to, read.subject, read.date]).toEqual(['jonas@example.com', letter.subject, 'Fri, 27 Nov 2026 14:06:08 +0000']);
  for (const part of [letter.heading, letter.opening, link, 'Häfen']) expect(read.text).toContain(part);
});

it('shows the outbox, the last mail first, with links and without any code of theirs, at an address that nobody guesses', async () => {
  const outbox = join(folder.path, 'outbox');
  const page = await startMailPage(outbox);
  const get = async (url = page.url) => {
    const answer = await fetch(url);
    return { status: answer.status, policy: answer.headers.get('content-security-policy'), text: await answer.text() };
  };
  expect((await get()).text).toContain('Nothing was written yet.');
  mkdirSync(outbox);
  writeFileSync(join(outbox, '019a1.eml'), await mail('m1'), 'latin1');
  writeFileSync(join(outbox, '019a2.eml'), await mail('m2', { subject: 'The second' }), 'latin1');
  writeFileSync(join(outbox, '.019a3.part'), 'unfinished');
  const { status, policy, text } = await get();
  expect([status, policy]).toEqual([200, expect.stringContaining("default-src 'none'")]);
  expect(text.indexOf('The second')).toBeLessThan(text.indexOf('“Drehtag 12” &lt;b&gt;'));
  expect(text).toContain(`<a href="${link}">${link}</a>`);
  expect(text).not.toMatch(/<script|<b>/);
  expect((await get(new URL('/', page.url).href)).status).toBe(404);
  await page.close();
});
