import type { MailPreview, mailPreviewKinds } from '#protocol/hosted/mail-preview.ts';
import { accountLetter } from './account-letter.ts';
import type { Brand } from './brand.ts';
import { htmlPart } from './html-part.ts';
import type { MailLanguage } from './language.ts';
import { type Letter, letterFor } from './letter.ts';
import { textPart } from './text-part.ts';

interface Wanted {
  readonly kind: (typeof mailPreviewKinds)[number];
  readonly language: MailLanguage;
  /** Who looks at it, as the one who sends. */
  readonly person: { readonly name: string; readonly email: string };
  /** The service's address, without a slash at the end. */
  readonly base: string;
  readonly at: Date;
}

const samples = {
  en: { name: 'Dailies, day 12', note: 'Hello,\nhere is what we shot today. Scene 14 is the one to look at first.' },
  de: { name: 'Muster, Drehtag 12', note: 'Hallo,\nhier ist, was wir heute gedreht haben. Szene 14 bitte zuerst ansehen.' },
} as const;

/** A mail of a Team as it will look, about a package that was never sent. Pure; made by what makes all mails. */
export function previewMail(brand: Brand, wanted: Wanted): MailPreview {
  const letter = sampleLetter(brand, wanted);
  return { subject: letter.subject, text: textPart(letter, brand), html: htmlPart(letter, brand) };
}

const days = (at: Date, count: number): Date => new Date(at.getTime() + count * 24 * 3_600_000);

function sampleLetter({ name: team }: Brand, { kind, language, person, base, at }: Wanted): Letter {
  if (kind === 'invitation') {
    const facts = { team, inviter: person, role: 'member', until: days(at, 7), link: `${base}/invitation` } as const;
    return accountLetter({ kind, ...facts }, language, new URL(base).host);
  }
  const { name, note } = samples[language];
  return letterFor(
    {
      kind: 'link',
      packageName: name,
      description: note,
      sender: kind === 'portal' ? 'jonas@example.com' : person.email,
      portal: kind === 'portal' ? { name: team, copy: false } : null,
      recipients: [],
      files: 128,
      bytes: 84_000_000_000,
      expiry: days(at, 10),
      passwordNeeded: false,
      link: `${base}/d/…`,
      form: null,
    },
    language,
  );
}
