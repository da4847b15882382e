import type { Brand } from '#service/mail/brand.ts';
import type { LetterFacts } from '#service/mail/letter.ts';

/** What a letter is made of, plain unless `facts` say otherwise. */
export const sampleLetterFacts = (facts: Partial<LetterFacts> = {}): LetterFacts => ({
  kind: 'link',
  packageName: 'Dailies, day 12',
  description: '',
  sender: 'mia@example.com',
  portal: null,
  recipients: ['post@example.com'],
  files: 3,
  bytes: 1_400_000_000,
  expiry: new Date('2026-11-28T14:00:00Z'),
  passwordNeeded: false,
  link: 'https://share.example.com/d/019aa1b2?secret=a&b',
  form: null,
  ...facts,
});

export const northlight = { name: 'Northlight dailies', copy: false } as const;

/** A Team with a logo, a colour and both legal pages. */
export const harbour: Brand = {
  name: 'Harbour Films',
  color: '#0b6b74',
  logo: { url: 'https://share.example.com/images/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', width: 160, height: 40 },
  imprint: 'https://example.com/imprint',
  privacy: 'https://example.com/privacy?a=1&b=2',
};
