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

export const northlight = { name: 'Northlight dailies', color: '#1F6FEB', copy: false } as const;
