import { type Kysely, sql } from 'kysely';
import type { NoticeKind } from '#protocol/notices.ts';
import type { Database } from '../database/schema/database.ts';
import { toldBeforeMilliseconds } from '../notices/expiries.ts';
import type { PublicUrls } from '../urls.ts';
import { cleanLines, oneLine } from './clean.ts';
import { formatContent, formatMoment } from './format.ts';
import type { MailLanguage } from './language.ts';
import type { Letter } from './letter.ts';
import { packageMessages } from './messages.ts';
import type { ToSend } from './read.ts';
import { type Reason, reasonIn } from './reason.ts';

/** What is told of a package; names may be written by strangers. */
export interface NoticeLetterFacts {
  readonly kind: NoticeKind;
  readonly packageName: string;
  readonly files: number;
  readonly bytes: number;
  /** Null: never. */
  readonly expiry: Date | null;
  /** When it happened. */
  readonly at: Date;
  /** Whose link it is about; empty for nobody in particular. */
  readonly person: string;
  /** Why it failed; empty where nothing did. */
  readonly reason: Reason;
  /** The console's page of the package; null for those who cannot see it. */
  readonly page: string | null;
  /** What becomes of its files after its time; null for those who may not know that it is on hold. */
  readonly after: 'deleted' | 'kept' | null;
  /** The page that turns such messages off. */
  readonly stop: string;
}

interface KindOfNotice {
  subject(name: string, person: string): string;
  opening(person: string, after: NoticeLetterFacts['after']): string;
}

interface Texts extends Readonly<Record<NoticeKind, KindOfNotice>> {
  readonly labels: { readonly when: string; readonly person: string };
  /** Above the reason. */
  readonly why: string;
  readonly whyInEnglish: string;
  readonly button: string;
  readonly closing: string;
  readonly stop: string;
}

const texts: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    downloaded: {
      subject: (name, person) => (person === '' ? `“${name}” was downloaded` : `${person} downloaded “${name}”`),
      opening: (person) =>
        person === '' ? 'A download by a public link has begun, for the first time.' : `${person} has begun to download the files.`,
    },
    expires: {
      subject: (name) => `“${name}” expires tomorrow`,
      opening: (_, after) =>
        after === 'deleted'
          ? 'The package expires tomorrow. After that nobody can download the files any more, and they are deleted. Extend the package to keep them.'
          : `The package expires tomorrow. After that nobody can download the files any more.${after === 'kept' ? ' It is on hold, so they are kept. Extend the package to have them downloaded for longer.' : ''}`,
    },
    failed: {
      subject: (name) => `Something about “${name}” failed`,
      opening: (person) =>
        person === ''
          ? 'A transfer of the package has failed, and is not tried again by itself.'
          : `The mail with the link for ${person} could not be delivered.`,
    },
    labels: { when: 'When', person: 'Recipient' },
    why: 'What happened',
    whyInEnglish: 'What happened',
    button: 'Open the package',
    closing:
      'You get this message because it was chosen for this package. Its page has the choice, and your mail program may offer to unsubscribe.',
    stop: 'No more messages about this package',
  },
  de: {
    downloaded: {
      subject: (name, person) => (person === '' ? `„${name}“ wurde heruntergeladen` : `${person} hat „${name}“ heruntergeladen`),
      opening: (person) =>
        person === ''
          ? 'Über einen öffentlichen Link hat zum ersten Mal ein Download begonnen.'
          : `${person} hat begonnen, die Dateien herunterzuladen.`,
    },
    expires: {
      subject: (name) => `„${name}“ läuft morgen ab`,
      opening: (_, after) =>
        after === 'deleted'
          ? 'Das Paket läuft morgen ab. Danach kann niemand die Dateien mehr herunterladen, und sie werden gelöscht. Verlängern Sie das Paket, wenn sie bleiben sollen.'
          : `Das Paket läuft morgen ab. Danach kann niemand die Dateien mehr herunterladen.${after === 'kept' ? ' Es hat eine Löschsperre, darum bleiben sie erhalten. Verlängern Sie das Paket, wenn sie länger abrufbar sein sollen.' : ''}`,
    },
    failed: {
      subject: (name) => `Bei „${name}“ ist etwas gescheitert`,
      opening: (person) =>
        person === ''
          ? 'Eine Übertragung des Pakets ist gescheitert und wird nicht von selbst wiederholt.'
          : `Die Nachricht mit dem Link für ${person} konnte nicht zugestellt werden.`,
    },
    labels: { when: 'Wann', person: 'Empfänger' },
    why: 'Was geschehen ist',
    whyInEnglish: 'Was geschehen ist (auf Englisch)',
    button: 'Paket öffnen',
    closing:
      'Sie erhalten diese Nachricht, weil sie für dieses Paket gewählt wurde. Auf dessen Seite lässt sich das ändern, und Ihr Mailprogramm bietet vielleicht an, sie abzubestellen.',
    stop: 'Keine Nachrichten mehr über dieses Paket',
  },
};

const nameLength = 120;

/** The message that tells of a package. Pure. */
export function noticeLetter(facts: NoticeLetterFacts, language: MailLanguage): Letter {
  const t = texts[language];
  const { labels, neverExpires } = packageMessages[language];
  const name = oneLine(facts.packageName, nameLength);
  const person = oneLine(facts.person);
  const why = cleanLines(facts.reason.text);
  return {
    subject: t[facts.kind].subject(name, person),
    heading: name,
    opening: t[facts.kind].opening(person, facts.after),
    facts: [
      ...(person === '' ? [] : [{ label: t.labels.person, value: person }]),
      ...(facts.kind === 'expires' ? [] : [{ label: t.labels.when, value: formatMoment(facts.at, language) }]),
      { label: labels.content, value: formatContent(facts.files, facts.bytes, language) },
      { label: labels.expires, value: facts.expiry === null ? neverExpires : formatMoment(facts.expiry, language) },
    ],
    note: why.length === 0 ? null : { title: facts.reason.language === language ? t.why : t.whyInEnglish, lines: why },
    form: null,
    link: facts.page,
    button: t.button,
    closing: t.closing,
    stop: { label: t.stop, link: facts.stop },
    language,
  };
}

interface NoticeMessage {
  readonly id: string;
  readonly notice_id: string;
  readonly recipient: string;
  readonly language: MailLanguage;
}

/** Generates the letter of a notice from the package as it is now. */
export async function readNoticeLetter(
  db: Kysely<Database>,
  { id, notice_id: noticeId, recipient, language }: NoticeMessage,
  { urls, now, mailedTokens }: { readonly urls: PublicUrls; readonly now: () => Date; readonly mailedTokens: { of(id: string): string } },
): Promise<ToSend> {
  const row = await db
    .selectFrom('notices')
    .innerJoin('packages', 'packages.id', 'notices.package_id')
    .leftJoin('links', 'links.id', 'notices.link_id')
    .select(['notices.kind', 'notices.reason', 'notices.created_at', 'links.email'])
    .select([
      'packages.id',
      'packages.name',
      'packages.team_id',
      'packages.portal_id',
      'packages.state',
      'packages.expiry',
      'packages.held_at',
    ])
    .select(['packages.total_files', 'packages.size'])
    .select(
      sql<boolean>`exists (select from memberships join users on users.id = memberships.user_id
        where memberships.team_id = packages.team_id and lower(users.email) = ${recipient.toLowerCase()})`.as('member'),
    )
    .where('notices.id', '=', noticeId)
    .executeTakeFirst();
  if (!row || (row.state !== 'finalized' && row.state !== 'new')) return { withdrawn: 'The package was over before the message was sent.' };
  // It was extended meanwhile, or is over.
  const left = row.expiry === null ? Number.POSITIVE_INFINITY : row.expiry.getTime() - now().getTime();
  if (row.kind === 'expires' && (left <= 0 || left > toldBeforeMilliseconds)) return { withdrawn: 'The package got another expiry.' };
  const facts: NoticeLetterFacts = {
    kind: row.kind,
    packageName: row.name,
    files: row.total_files,
    bytes: Number(row.size),
    expiry: row.expiry,
    at: row.created_at,
    person: row.email ?? '',
    reason: await reasonIn(language, row.reason),
    stop: urls.unsubscribePage(id, mailedTokens.of(id)),
    after: !row.member ? null : row.held_at === null ? 'deleted' : 'kept',
    page: row.member ? urls.consolePackage(row.team_id, row.id) : null,
  };
  return {
    letter: noticeLetter(facts, language),
    replyTo: null,
    owner: { teamId: row.team_id, portalId: row.portal_id },
    unsubscribe: urls.unsubscribe(id, mailedTokens.of(id)),
  };
}
