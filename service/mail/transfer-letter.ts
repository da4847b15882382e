import type { Kysely } from 'kysely';
import { providers } from '#protocol/providers.ts';
import type { Database } from '../database/schema/database.ts';
import { cleanLines, oneLine } from './clean.ts';
import { formatContent } from './format.ts';
import type { MailLanguage } from './language.ts';
import type { Letter } from './letter.ts';
import type { ToSend } from './read.ts';
import { type Reason, reasonIn } from './reason.ts';

/** What is told of the end of a transfer; names may be written by strangers. */
export interface TransferLetterFacts {
  readonly packageName: string;
  readonly provider: string;
  /** Where it landed; empty if it did not come so far, or where a stranger chose it. */
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  readonly failed: boolean;
  /** Why it failed, or what else there is to know; mostly empty if it is complete. */
  readonly message: Reason;
}

interface KindOfEnd {
  subject(name: string): string;
  readonly opening: string;
  /** Above the message. */
  readonly title: string;
  readonly titleInEnglish: string;
}

interface Texts {
  readonly labels: {
    readonly package: string;
    readonly provider: string;
    readonly folder: string;
    readonly content: string;
    readonly service: string;
  };
  readonly complete: KindOfEnd;
  readonly error: KindOfEnd;
  readonly closing: string;
}

const texts: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    labels: { package: 'Package', provider: 'Storage', folder: 'Folder', content: 'Content', service: 'Service' },
    complete: {
      subject: (name) => `“${name}” has been transferred`,
      opening: 'The package has arrived at the connected storage.',
      title: 'Worth knowing',
      titleInEnglish: 'Worth knowing',
    },
    error: {
      subject: (name) => `“${name}” could not be transferred`,
      opening: 'The transfer of the package to the connected storage has failed, and is not tried again by itself.',
      title: 'What happened',
      titleInEnglish: 'What happened',
    },
    closing: 'You get this message because somebody who transferred the package named your address.',
  },
  de: {
    labels: { package: 'Paket', provider: 'Speicher', folder: 'Ordner', content: 'Inhalt', service: 'Dienst' },
    complete: {
      subject: (name) => `„${name}“ wurde übertragen`,
      opening: 'Das Paket ist im verbundenen Speicher angekommen.',
      title: 'Hinweis',
      titleInEnglish: 'Hinweis (auf Englisch)',
    },
    error: {
      subject: (name) => `„${name}“ konnte nicht übertragen werden`,
      opening: 'Die Übertragung des Pakets in den verbundenen Speicher ist gescheitert und wird nicht von selbst wiederholt.',
      title: 'Was geschehen ist',
      titleInEnglish: 'Was geschehen ist (auf Englisch)',
    },
    closing: 'Sie erhalten diese Nachricht, weil jemand, der das Paket übertragen hat, Ihre Adresse angegeben hat.',
  },
};

const nameLength = 120;

/** The message about the end of a transfer. `service` is the host that it is about. Pure. */
export function transferLetter(facts: TransferLetterFacts, language: MailLanguage, service: string): Letter {
  const { labels, complete, error, closing } = texts[language];
  const kind = facts.failed ? error : complete;
  const { message } = facts;
  const name = oneLine(facts.packageName, nameLength);
  return {
    subject: kind.subject(name),
    heading: name,
    opening: kind.opening,
    facts: [
      { label: labels.package, value: name },
      { label: labels.provider, value: facts.provider },
      ...(facts.folder === '' ? [] : [{ label: labels.folder, value: oneLine(facts.folder) }]),
      { label: labels.content, value: formatContent(facts.files, facts.bytes, language) },
      { label: labels.service, value: service },
    ],
    note:
      message.text === ''
        ? null
        : { title: message.language === language ? kind.title : kind.titleInEnglish, lines: cleanLines(message.text) },
    form: null,
    link: null,
    button: '',
    closing,
    language,
  };
}

/** Generates the letter about a transfer from its current row. */
export async function readTransferLetter(
  db: Kysely<Database>,
  message: { readonly transfer_id: string; readonly language: MailLanguage },
  service: string,
): Promise<ToSend> {
  const row = await db
    .selectFrom('cloud_transfers')
    .innerJoin('packages', 'packages.id', 'cloud_transfers.package_id')
    .select([
      'packages.name',
      'packages.team_id',
      'packages.portal_id',
      'cloud_transfers.provider',
      'cloud_transfers.cloud_connection_id',
      'cloud_transfers.folder',
      'cloud_transfers.total_files',
      'cloud_transfers.total_bytes',
      'cloud_transfers.state',
      'cloud_transfers.message',
    ])
    .where('cloud_transfers.id', '=', message.transfer_id)
    .executeTakeFirst();
  if (row?.state !== 'complete' && row?.state !== 'error')
    return { withdrawn: 'The transfer goes on, or was cancelled, before the message was sent.' };
  const facts = {
    packageName: row.name,
    provider: providers[row.provider].label,
    // Who has a link brings a folder of their own, and the address of somebody else: their words are not mailed.
    folder: row.cloud_connection_id === null ? '' : (row.folder ?? ''),
    files: row.total_files,
    bytes: Number(row.total_bytes),
    failed: row.state === 'error',
    message: await reasonIn(message.language, row.message),
  };
  return {
    letter: transferLetter(facts, message.language, service),
    replyTo: null,
    owner: { teamId: row.team_id, portalId: row.portal_id },
  };
}
