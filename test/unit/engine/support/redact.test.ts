import { describe, expect, it } from 'vitest';
import { encodingsOf, redactor, removed } from '#engine/support/redact.ts';

describe('a known secret', () => {
  const secret = 'Pa"ss wörd/+?&=';
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret)],
    ['in an address', `?x=${encodeURIComponent(secret)}`],
    ['in a form', new URLSearchParams({ x: secret }).toString()],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in large hex', Buffer.from(secret).toString('hex').toUpperCase()],
  ])('is taken out %s', (_, text) => {
    const clean = redactor([secret])(`before ${text} after`);
    expect(clean).toContain(removed);
    expect(clean).toMatch(/^before .*after$/);
    for (const encoding of encodingsOf(secret)) expect(clean).not.toContain(encoding);
  });

  it('is taken out wherever it stands, however often', () => {
    expect(redactor(['blue-heron'])('blue-heron and xblue-heronx')).toBe(`${removed} and x${removed}x`);
  });

  it('leaves texts alone when it is so short that it stands anywhere', () => {
    expect(redactor(['', 'a', 'the'])('a day at the sea')).toBe('a day at the sea');
  });
});

describe('what looks like a secret', () => {
  const key = 'A'.repeat(43);
  it.each([
    ['https://s.example/d/x?secret=abc123&lang=en', `https://s.example/d/x?secret=${removed}&lang=en`],
    ['PUT https://b.example/o?X-Amz-Signature=0a1b&partNumber=1', `PUT https://b.example/o?X-Amz-Signature=${removed}&partNumber=1`],
    ['smtp://mia:hunter2@mail.example', `smtp://${removed}@mail.example`],
    ['Authorization: Bearer abc.def-123', `Authorization: Bearer ${removed}`],
    [`key ls_${key}, own lsa_${key}, app lst_${key}`, `key ${removed}, own ${removed}, app ${removed}`],
    ['token eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl.', `token ${removed}.`],
    ['{"password":"hunter2","name":"x"}', `{"password":"${removed}","name":"x"}`],
    ['{"X-Package-Token" : "abc"}', `{"X-Package-Token" : "${removed}"}`],
    ['{"body":"{\\"access_code\\":\\"1234\\",\\"x\\":1}"}', `{"body":"{\\"access_code\\":\\"${removed}\\",\\"x\\":1}"}`],
  ])('is taken out of %s', (text, clean) => {
    expect(redactor([])(text)).toBe(clean);
  });

  it.each(['/media/secret project/token.mov', 'The password is wrong.', 'https://s.example/d/019aa1b2', '{"files":3,"state":"error"}'])(
    'is not found in %s',
    (text) => {
      expect(redactor([])(text)).toBe(text);
    },
  );
});
