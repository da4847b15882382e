import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { PackageMessageKind } from '../database/schema/messages.ts';
import { effectiveExpiry, linkStatus } from '../links/state-machine.ts';
import type { PublicUrls } from '../urls.ts';
import { virusPolicy } from '../viruses/policy.ts';
import { answersOf } from './answers.ts';
import type { MailOwner } from './brand.ts';
import { isAddress } from './clean.ts';
import type { MailLanguage } from './language.ts';
import { type Letter, letterFor } from './letter.ts';

/** The message to send, or the reason why it is no longer needed. `owner`: in whose branding; null for the service's own. `unsubscribe`: the address that turns such messages off. */
export type ToSend =
  | { readonly letter: Letter; readonly replyTo: string | null; readonly owner: MailOwner | null; readonly unsubscribe?: string }
  | { readonly withdrawn: string };

/** Of the files that the service itself has made of a form's answers. The sender is told of what they sent. */
const ofAnswerFiles = (value: RawBuilder<string>) => sql<string>`(
  select ${value} from files join form_deliverables on form_deliverables.file_id = files.id
  where files.package_id = packages.id and form_deliverables.response_id = packages.form_response_id and files.state = 'finalized')`;
const answerFiles = ofAnswerFiles(sql`count(*)`);
const answerBytes = ofAnswerFiles(sql`coalesce(sum(files.size), 0)`);

/** Generates a message's letter from the package's current rows. */
export async function readLetter(
  db: Kysely<Database>,
  message: {
    readonly package_id: string;
    readonly kind: PackageMessageKind;
    readonly recipient: string;
    readonly link_id: string | null;
    readonly language: MailLanguage;
  },
  { urls, now }: { readonly urls: PublicUrls; readonly now: () => Date },
): Promise<ToSend> {
  const row = await db
    .selectFrom('packages')
    .innerJoin('teams', 'teams.id', 'packages.team_id')
    .leftJoin('portals', 'portals.id', 'packages.portal_id')
    .leftJoin('links', (join) => join.onRef('links.package_id', '=', 'packages.id').on('links.id', '=', message.link_id))
    .leftJoin('form_responses', 'form_responses.id', 'packages.form_response_id')
    .select([
      'packages.name',
      'packages.team_id',
      'packages.portal_id',
      'packages.description',
      'packages.sender',
      'packages.recipients',
      'packages.size',
      'packages.total_files',
      answerFiles.as('answerFiles'),
      answerBytes.as('answerBytes'),
      'packages.through_portal',
      'packages.state as packageState',
      'packages.expiry as packageExpiry',
      virusPolicy,
      'teams.name as teamName',
      'portals.name as portalName',
      'portals.recipients as portalRecipients',
      'links.id as linkId',
      'links.secret as linkSecret',
      'links.password_hash as linkPassword',
      'links.expiry as linkExpiry',
      'links.disabled_at as linkDisabled',
      'form_responses.form',
      'form_responses.answers',
    ])
    .where('packages.id', '=', message.package_id)
    .executeTakeFirst();
  if (!row) return { withdrawn: 'The package is gone.' };
  const facts = {
    packageState: row.packageState,
    packageExpiry: row.packageExpiry,
    linkExpiry: row.linkExpiry,
    disabledAt: row.linkDisabled,
    virusPolicy: row.virusPolicy,
  };
  const receipt = message.kind === 'receipt';
  const status = linkStatus(facts, now());
  if (!status.open && status.error !== 'package_quarantined')
    return { withdrawn: 'The package or the link was over before the message was sent.' };
  // The sender's receipt leads nowhere, and who has sent a virus had better hear of what arrived.
  if (!status.open && !receipt) return { withdrawn: 'A virus was found in the package, and its Team keeps it in quarantine.' };
  if (!receipt && (row.linkId === null || row.linkSecret === null)) return { withdrawn: 'The link is gone.' };
  const letter = letterFor(
    {
      kind: message.kind,
      packageName: row.name,
      description: row.description,
      sender: row.sender,
      portal: row.through_portal
        ? {
            name: row.portalName ?? row.teamName,
            copy: row.portalRecipients !== null && !holds(row.portalRecipients, message.recipient),
          }
        : null,
      recipients: row.recipients,
      files: row.total_files - (receipt ? Number(row.answerFiles) : 0),
      bytes: Number(row.size) - (receipt ? Number(row.answerBytes) : 0),
      expiry: effectiveExpiry(facts),
      passwordNeeded: row.linkPassword !== null,
      link: receipt ? null : urls.downloadPage(row.linkId!, row.linkSecret!),
      form:
        !receipt && row.form?.delivery_formats.includes('email_body')
          ? { name: row.form.name, answers: answersOf(row.form, row.answers ?? {}, message.language) }
          : null,
    },
    message.language,
  );
  const owner = { teamId: row.team_id, portalId: row.portal_id };
  return { letter, replyTo: receipt || !isAddress(row.sender) ? null : row.sender, owner };
}

const holds = (addresses: readonly string[], address: string): boolean =>
  addresses.some((one) => one.toLowerCase() === address.toLowerCase());
