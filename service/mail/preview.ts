import type { MailPreview } from '#protocol/hosted/mail-preview.ts';
import type { mailPreviewKinds } from '#protocol/hosted/mail-preview-kinds.ts';
import { accountLetter } from './account-letter.ts';
import type { Brand } from './brand.ts';
import { htmlPart } from './html-part.ts';
import type { MailLanguage } from './language.ts';
import { type Letter, letterFor } from './letter.ts';
import { linkCodeLetter } from './link-code-letter.ts';
import { noticeLetter } from './notice-letter.ts';
import { portalRequestLetter } from './portal-request-letter.ts';
import { textPart } from './text-part.ts';

export interface WantedPreview {
  readonly kind: (typeof mailPreviewKinds)[number];
  readonly language: MailLanguage;
  /** Who looks at it, as the one who sends. */
  readonly person: { readonly name: string; readonly email: string };
  readonly team: string;
  /** The Portal whose mail it is; null for the Team's own. */
  readonly portal: string | null;
  /** The service's address, without a slash at the end. */
  readonly base: string;
  readonly at: Date;
}

const samples = {
  en: {
    name: 'Dailies, day 12',
    note: 'Hello,\nhere is what we shot today. Scene 14 is the one to look at first.',
    request: 'Hello,\nplease send us what you shot today.',
    reason: 'Its server says that there is no such mailbox.',
  },
  de: {
    name: 'Muster, Drehtag 12',
    note: 'Hallo,\nhier ist, was wir heute gedreht haben. Szene 14 bitte zuerst ansehen.',
    request: 'Hallo,\nbitte senden Sie uns, was Sie heute gedreht haben.',
    reason: 'Der Server dort sagt, dass es dieses Postfach nicht gibt.',
  },
} as const;
/** Somebody outside the Team. */
const stranger = 'jonas@example.com';
const content = { files: 128, bytes: 84_000_000_000 } as const;

/** A mail of a Team or a Portal as it will look, about a package that was never sent. Pure; made by what makes all mails. */
export function previewMail(brand: Brand, wanted: WantedPreview): MailPreview {
  const letter = sampleLetter(wanted);
  return { subject: letter.subject, text: textPart(letter, brand), html: htmlPart(letter, brand) };
}

const days = (at: Date, count: number): Date => new Date(at.getTime() + count * 24 * 3_600_000);

function sampleLetter({ kind, language, person, team, portal, base, at }: WantedPreview): Letter {
  const { name, note, request } = samples[language];
  switch (kind) {
    case 'invitation': {
      const facts = { team, inviter: person, role: 'member', until: days(at, 7), link: `${base}/invitation` } as const;
      return accountLetter({ kind, ...facts }, language, new URL(base).host);
    }
    case 'request': {
      const facts = { portal: portal ?? team, team, asker: person, message: request, until: days(at, 10), codeNeeded: false };
      return portalRequestLetter({ ...facts, link: `${base}/p/…` }, language);
    }
    case 'code':
      return linkCodeLetter({ code: '48151623', packageName: name, sender: portal ?? person.email }, language);
    case 'downloaded':
    case 'expires':
    case 'failed':
      return noticeLetter(
        {
          ...content,
          kind,
          packageName: name,
          expiry: days(at, kind === 'expires' ? 1 : 10),
          at,
          person: kind === 'expires' ? '' : stranger,
          reason: { text: kind === 'failed' ? samples[language].reason : '', language },
          page: `${base}/…`,
          after: 'deleted',
          stop: `${base}/…`,
        },
        language,
      );
    case 'link':
    case 'portal':
    case 'receipt': {
      const ofPortal = portal !== null || kind === 'portal';
      return letterFor(
        {
          ...content,
          kind: kind === 'receipt' ? 'receipt' : 'link',
          packageName: name,
          description: note,
          sender: ofPortal ? stranger : person.email,
          portal: ofPortal ? { name: portal ?? team, copy: false } : null,
          recipients: [stranger],
          expiry: days(at, 10),
          passwordNeeded: false,
          link: `${base}/d/…`,
          form: null,
        },
        language,
      );
    }
  }
}
