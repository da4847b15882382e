import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { isOpen } from '../portals/access-code.ts';
import type { PublicUrls } from '../urls.ts';
import { cleanLines, isAddress, oneLine } from './clean.ts';
import { formatMoment } from './format.ts';
import type { MailLanguage } from './language.ts';
import type { Letter } from './letter.ts';
import type { ToSend } from './read.ts';

/** Maximum length of names, since other people wrote them. */
const nameLength = 80;

interface Texts {
  subject(asker: string, portal: string): string;
  heading(portal: string): string;
  opening(asker: string, team: string): string;
  readonly button: string;
  readonly labels: { readonly askedBy: string; readonly until: string; readonly code: string };
  code(asker: string): string;
  note(asker: string): string;
  closing(asker: string): string;
}

const texts: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    subject: (asker, portal) => `${asker} asks you for files: ${portal}`,
    heading: (portal) => `Files for ${portal}`,
    opening: (asker, team) => `${asker} of ${team} asks you to send files. Open the page, choose them, and send: you need no account.`,
    button: 'Send files',
    labels: { askedBy: 'Asked by', until: 'Takes files until', code: 'Access code' },
    code: (asker) => `Needed. ${asker} has it.`,
    note: (asker) => `Message from ${asker}`,
    closing: (asker) => `You get this message because ${asker} named your address. If you have nothing to send, you need not do anything.`,
  },
  de: {
    subject: (asker, portal) => `${asker} bittet Sie um Dateien: ${portal}`,
    heading: (portal) => `Dateien für ${portal}`,
    opening: (asker, team) =>
      `${asker} (${team}) bittet Sie um Dateien. Öffnen Sie die Seite, wählen Sie sie aus und senden Sie: Ein Konto brauchen Sie nicht.`,
    button: 'Dateien senden',
    labels: { askedBy: 'Anfrage von', until: 'Nimmt Dateien an bis', code: 'Zugangscode' },
    code: (asker) => `Erforderlich. ${asker} hat ihn.`,
    note: (asker) => `Nachricht von ${asker}`,
    closing: (asker) =>
      `Sie erhalten diese Nachricht, weil ${asker} Ihre Adresse angegeben hat. Wenn Sie nichts zu senden haben, brauchen Sie nichts zu tun.`,
  },
};

/** What the request says; names are written by others. */
export interface PortalRequestFacts {
  readonly portal: string;
  readonly team: string;
  readonly asker: { readonly name: string; readonly email: string };
  readonly message: string;
  /** Null: until it is closed. */
  readonly until: Date | null;
  readonly codeNeeded: boolean;
  /** The Portal's page. */
  readonly link: string;
}

/** The letter that asks for files. Pure. */
export function portalRequestLetter(facts: PortalRequestFacts, language: MailLanguage): Letter {
  const t = texts[language];
  const [asker, portal] = [oneLine(facts.asker.name, nameLength), oneLine(facts.portal, nameLength)];
  return {
    subject: t.subject(asker, portal),
    heading: t.heading(portal),
    opening: t.opening(asker, oneLine(facts.team, nameLength)),
    facts: [
      { label: t.labels.askedBy, value: `${asker} (${oneLine(facts.asker.email)})` },
      ...(facts.until ? [{ label: t.labels.until, value: formatMoment(facts.until, language) }] : []),
      // The code itself goes another way: who gets hold of this message cannot use it.
      ...(facts.codeNeeded ? [{ label: t.labels.code, value: t.code(asker) }] : []),
    ],
    note: facts.message.trim() === '' ? null : { title: t.note(asker), lines: cleanLines(facts.message) },
    form: null,
    link: facts.link,
    button: t.button,
    closing: t.closing(asker),
    language,
  };
}

/** Generates the letter that asks for files, from the Portal as it is now. */
export async function readPortalRequestLetter(
  db: Kysely<Database>,
  { portal_request_id: id, language }: { readonly portal_request_id: string; readonly language: MailLanguage },
  { urls, now }: { readonly urls: PublicUrls; readonly now: () => Date },
): Promise<ToSend> {
  const row = await db
    .selectFrom('portal_requests')
    .innerJoin('portals', 'portals.id', 'portal_requests.portal_id')
    .innerJoin('teams', 'teams.id', 'portal_requests.team_id')
    .innerJoin('users', 'users.id', 'portal_requests.asked_by')
    .select(['portal_requests.message', 'portal_requests.team_id', 'portals.id as portalId'])
    .select(['portals.name', 'portals.subdomain', 'portals.has_access_code'])
    .select(['portals.active', 'portals.expiry_enabled', 'portals.expiry'])
    .select(['teams.name as team', 'teams.state', 'users.name as asker', 'users.email'])
    .where('portal_requests.id', '=', id)
    .executeTakeFirst();
  if (row?.state !== 'active' || !isOpen(row, now())) return { withdrawn: 'The Portal was closed before the message was sent.' };
  const letter = portalRequestLetter(
    {
      portal: row.name,
      team: row.team,
      asker: { name: row.asker, email: row.email },
      message: row.message,
      until: row.expiry_enabled ? row.expiry : null,
      codeNeeded: row.has_access_code,
      link: urls.portalPage(row.subdomain),
    },
    language,
  );
  return { letter, replyTo: isAddress(row.email) ? row.email : null, owner: { teamId: row.team_id, portalId: row.portalId } };
}
