import type { Kysely } from 'kysely';
import { limits } from '#protocol/limits.ts';
import type { MailedTokens } from '../accounts/mailed-tokens.ts';
import type { Database } from '../database/schema/database.ts';
import { codeOf, shownCode } from '../links/code.ts';
import { linkStatus } from '../links/state-machine.ts';
import { virusPolicy } from '../viruses/policy.ts';
import { oneLine } from './clean.ts';
import type { MailLanguage } from './language.ts';
import type { Letter } from './letter.ts';
import { packageMessages } from './messages.ts';
import type { ToSend } from './read.ts';

interface Texts {
  subject(name: string): string;
  readonly opening: string;
  readonly labels: { readonly package: string; readonly good: string };
  good(minutes: number): string;
  readonly closing: string;
}

const texts: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    subject: (name) => `Your code for “${name}”`,
    opening: 'Enter this code on the page where you asked for it. It proves that the link was meant for you.',
    labels: { package: 'Package', good: 'Good for' },
    good: (minutes) => `${minutes} minutes, and once`,
    closing:
      'You get this message because somebody opened the link that was sent to you, and asked for the code. If it was not you, you need not do anything: without the code nobody gets the files. Give it to nobody.',
  },
  de: {
    subject: (name) => `Ihr Code für „${name}“`,
    opening:
      'Geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben. Er weist nach, dass der Link für Sie bestimmt war.',
    labels: { package: 'Paket', good: 'Gültig' },
    good: (minutes) => `${minutes} Minuten lang, nur einmal`,
    closing:
      'Sie erhalten diese Nachricht, weil jemand den an Sie gesendeten Link geöffnet und den Code angefordert hat. Wenn Sie es nicht waren, brauchen Sie nichts zu tun: Ohne den Code erhält niemand die Dateien. Geben Sie ihn nicht weiter.',
  },
};

const nameLength = 120;

/** The facts of a message with a code; names are written by strangers. */
export interface LinkCodeFacts {
  readonly code: string;
  readonly packageName: string;
  readonly sender: string;
}

/** The message with a code. The subject has no code, since it is shown on locked screens. Pure. */
export function linkCodeLetter({ code, packageName, sender }: LinkCodeFacts, language: MailLanguage): Letter {
  const t = texts[language];
  const name = oneLine(packageName, nameLength);
  return {
    subject: t.subject(name),
    heading: shownCode(code),
    opening: t.opening,
    facts: [
      { label: t.labels.good, value: t.good(limits.linkCodeSeconds / 60) },
      { label: t.labels.package, value: name },
      { label: packageMessages[language].labels.from, value: oneLine(sender) },
    ],
    note: null,
    form: null,
    link: null,
    button: '',
    closing: t.closing,
    language,
  };
}

/** Generates the letter with a link's code, while that is the one that counts. */
export async function readLinkCodeLetter(
  db: Kysely<Database>,
  { id, language }: { readonly id: string; readonly language: MailLanguage },
  { mailedTokens, now }: { readonly mailedTokens: MailedTokens; readonly now: () => Date },
): Promise<ToSend> {
  const row = await db
    .selectFrom('link_codes')
    .innerJoin('links', 'links.id', 'link_codes.link_id')
    .innerJoin('packages', 'packages.id', 'links.package_id')
    .select(['packages.name', 'packages.sender', 'packages.team_id', 'packages.portal_id'])
    .select(['links.disabled_at as disabledAt', 'links.expiry as linkExpiry'])
    .select(['packages.state as packageState', 'packages.expiry as packageExpiry', virusPolicy])
    .where('link_codes.message_id', '=', id)
    .where('link_codes.expires_at', '>', now())
    .executeTakeFirst();
  if (!row || !linkStatus(row, now()).open) return { withdrawn: 'The code was over before the message was sent.' };
  return {
    letter: linkCodeLetter({ code: codeOf(mailedTokens, id), packageName: row.name, sender: row.sender }, language),
    replyTo: null,
    owner: { teamId: row.team_id, portalId: row.portal_id },
  };
}
