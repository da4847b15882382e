import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { PublicUrls } from '../urls.ts';
import { oneLine } from './clean.ts';
import { formatBytes, formatMoment } from './format.ts';
import type { MailLanguage } from './language.ts';
import type { Letter } from './letter.ts';
import type { ToSend } from './read.ts';

/** What owners are told of a limit. Bytes. */
export interface QuotaLetterFacts {
  readonly kind: 'storage' | 'traffic';
  readonly percent: 80 | 100;
  readonly team: string;
  /** Whose limit it is; null: the Team's. */
  readonly portal: string | null;
  readonly limit: number;
  readonly used: number;
  readonly at: Date;
  /** The Team's packages in the console. */
  readonly page: string;
}

interface Words {
  /** Of a holder's name. */
  readonly subject: Readonly<Record<'storage' | 'traffic', Readonly<Record<80 | 100, (name: string) => string>>>>;
  readonly opening: Readonly<Record<'storage' | 'traffic', Readonly<Record<80 | 100, string>>>>;
  readonly labels: Readonly<Record<'team' | 'portal' | 'used' | 'limit' | 'when', string>>;
  readonly button: string;
  readonly closing: string;
}

const en: Words = {
  subject: {
    storage: { 80: (name) => `${name} has used most of its storage`, 100: (name) => `The storage of ${name} is full` },
    traffic: {
      80: (name) => `${name} has used most of this month’s traffic`,
      100: (name) => `${name} has used up this month’s traffic`,
    },
  },
  opening: {
    storage: {
      80: 'At least 80 % of what may be stored is used. What would pass the limit is refused, so make room before it is needed: delete packages, or ask whoever runs this service for more.',
      100: 'Files that would pass the limit are refused from now on. Nothing is lost: uploads go on as soon as there is room. Delete packages, or ask whoever runs this service for more.',
    },
    traffic: {
      80: 'At least 80 % of this month’s traffic is used. What would pass the limit is refused until the month ends: ask whoever runs this service for more if it is needed.',
      100: 'Files that would pass the limit are refused until the month (UTC) ends. Nothing is lost: uploads go on then, or as soon as whoever runs this service raises the limit.',
    },
  },
  labels: { team: 'Team', portal: 'Portal', used: 'Used', limit: 'Limit', when: 'When' },
  button: 'Look at the packages',
  closing: 'You get this message because you own this Team.',
};

const de: Words = {
  subject: {
    storage: { 80: (name) => `${name}: Der Speicher ist fast voll`, 100: (name) => `${name}: Der Speicher ist voll` },
    traffic: {
      80: (name) => `${name}: Das Datenvolumen dieses Monats ist fast verbraucht`,
      100: (name) => `${name}: Das Datenvolumen dieses Monats ist verbraucht`,
    },
  },
  opening: {
    storage: {
      80: 'Mindestens 80 % des erlaubten Speichers sind belegt. Was die Grenze überschreitet, wird abgelehnt. Schaffen Sie Platz, bevor er gebraucht wird: Löschen Sie Pakete, oder bitten Sie den Betreiber dieses Dienstes um mehr.',
      100: 'Dateien, die die Grenze überschreiten würden, werden ab jetzt abgelehnt. Nichts geht verloren: Übertragungen gehen weiter, sobald Platz ist. Löschen Sie Pakete, oder bitten Sie den Betreiber dieses Dienstes um mehr.',
    },
    traffic: {
      80: 'Mindestens 80 % des Datenvolumens dieses Monats sind verbraucht. Was die Grenze überschreitet, wird bis zum Ende des Monats abgelehnt: Bitten Sie den Betreiber dieses Dienstes um mehr, wenn Sie es brauchen.',
      100: 'Dateien, die die Grenze überschreiten würden, werden bis zum Ende des Monats (UTC) abgelehnt. Nichts geht verloren: Übertragungen gehen dann weiter, oder sobald der Betreiber dieses Dienstes die Grenze anhebt.',
    },
  },
  labels: { team: 'Team', portal: 'Portal', used: 'Belegt', limit: 'Grenze', when: 'Wann' },
  button: 'Pakete ansehen',
  closing: 'Sie erhalten diese Nachricht, weil Sie Inhaber dieses Teams sind.',
};

const words: Readonly<Record<MailLanguage, Words>> = { en, de };

/** The message about a limit, in a language. Pure. */
export function quotaLetter(facts: QuotaLetterFacts, language: MailLanguage): Letter {
  const { kind, percent, limit, used, at, page } = facts;
  const { subject, opening, labels, button, closing } = words[language];
  const team = oneLine(facts.team, 80);
  const portal = facts.portal === null ? null : oneLine(facts.portal, 80);
  const heading = subject[kind][percent](portal ?? team);
  return {
    ...{ subject: heading, heading, opening: opening[kind][percent] },
    facts: [
      { label: labels.team, value: team },
      ...(portal === null ? [] : [{ label: labels.portal, value: portal }]),
      { label: labels.used, value: formatBytes(used, language) },
      { label: labels.limit, value: formatBytes(limit, language) },
      { label: labels.when, value: formatMoment(at, language) },
    ],
    ...{ note: null, form: null, language, link: page, button, closing },
  };
}

/** Generates the letter of a warning, unless its limit is another one by now. */
export async function readQuotaLetter(
  db: Kysely<Database>,
  { quota_warning_id: id, language }: { readonly quota_warning_id: string; readonly language: MailLanguage },
  { urls }: { readonly urls: PublicUrls },
): Promise<ToSend> {
  const row = await db
    .selectFrom('quota_warnings')
    .innerJoin('teams', 'teams.id', 'quota_warnings.team_id')
    .leftJoin('portals', 'portals.id', 'quota_warnings.portal_id')
    .leftJoin('quotas', (join) =>
      join.on((on) => on('quotas.holder_id', '=', on.fn.coalesce('quota_warnings.portal_id', 'quota_warnings.team_id'))),
    )
    .select([
      ...(['quota_warnings.kind', 'quota_warnings.percent', 'limit_bytes', 'used_bytes', 'quota_warnings.created_at'] as const),
      ...(['teams.id as teamId', 'teams.name as team', 'portals.name as portal', 'storage_limit', 'traffic_limit'] as const),
    ])
    .where('quota_warnings.id', '=', id)
    .executeTakeFirst();
  const limit = row && (row.kind === 'storage' ? row.storage_limit : row.traffic_limit);
  if (!row || limit === null || Number(limit) !== Number(row.limit_bytes))
    return { withdrawn: 'The limit was changed before the message was sent.' };
  const { kind, percent, team, portal, teamId, created_at: at } = row;
  const numbers = { limit: Number(row.limit_bytes), used: Number(row.used_bytes) };
  const letter = quotaLetter({ kind, percent, team, portal, at, ...numbers, page: urls.consolePackages(teamId) }, language);
  return { letter, replyTo: null, owner: { teamId, portalId: null } };
}
