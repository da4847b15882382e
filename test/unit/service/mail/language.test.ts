import { describe, expect, it } from 'vitest';
import { mailLanguageOf } from '#service/mail/language.ts';

describe('the language of mail', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['fr, it;q=0.9, DE-ch;q=0.3, en;q=0.2', 'de'],
    ['en;q=0.5,de;q=0.9', 'de'],
    // Asked not to.
    ['de;q=0, en;q=0.1', 'en'],
    ['de;q=nonsense, en;q=0.1', 'en'],
    ['den, deutsch', 'en'],
    [`${'x,'.repeat(100_000)}de`, 'en'],
  ])('of %j is %s', (header, language) => {
    expect(mailLanguageOf(header)).toBe(language);
  });
});
