import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Link } from '#protocol/hosted/links.ts';
import { limits } from '#protocol/limits.ts';
import { hashPassword } from '../accounts/passwords.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { managePackage } from '../packages/access.ts';
import type { PackageRow } from '../packages/row.ts';
import { readPolicies, requirePassword, requireRecipient, requireRecipients, verification } from '../teams/policies.ts';
import type { PublicUrls } from '../urls.ts';
import { formatDateTime, parseDateTime } from '../wire-times.ts';
import { mailOutcome } from './mail-outcome.ts';
import { newLink } from './make.ts';
import { effectiveExpiry, isActive } from './state-machine.ts';

type LinkRow = Pick<
  Selectable<Database['links']>,
  'id' | 'email' | 'secret' | 'password_hash' | 'access_limit' | 'expiry' | 'disabled_at' | 'verify_recipient'
>;

function toLink(link: LinkRow, row: PackageRow, urls: PublicUrls): Link {
  return {
    id: link.id,
    email: link.email,
    access_limit: link.access_limit,
    access_limit_enabled: link.access_limit > 0,
    active: isActive({ disabledAt: link.disabled_at, packageState: row.state }),
    download_secret: link.secret,
    expiry: formatDateTime(effectiveExpiry({ linkExpiry: link.expiry, packageExpiry: row.expiry })),
    password: link.password_hash === null ? '' : '****',
    verify_recipient: link.verify_recipient,
    url: urls.downloadPage(link.id, link.secret),
  };
}

/**
 * Maximum links of one package in a list of packages. Only links that are created one by one can exceed its
 * recipients, and few are.
 */
const linksPerPackage = 1_000;

/** The links of each given package, by package id, for users who may manage them. */
export async function linksOf({ db, urls }: Pick<Context, 'db' | 'urls'>, rows: readonly PackageRow[]): Promise<Map<string, Link[]>> {
  const result = await sql<LinkRow & { package_id: string }>`
    select link.* from unnest(${rows.map((row) => row.id)}::uuid[]) as package (id)
    cross join lateral (
      select id, package_id, email, secret, password_hash, access_limit, expiry, disabled_at, verify_recipient
      from links where package_id = package.id order by id limit ${linksPerPackage}
    ) link`.execute(db);
  const byPackage = Map.groupBy(result.rows, (link) => link.package_id);
  return new Map(rows.map((row) => [row.id, (byPackage.get(row.id) ?? []).map((link) => toLink(link, row, urls))]));
}

/**
 * Locks the package, so that of many calls at once each counts what the others have added. Errors: `over_limit` for a
 * package that has as many links as it may have.
 */
async function requireRoom(trx: Transaction<Database>, packageId: string): Promise<void> {
  await trx.selectFrom('packages').select('id').where('id', '=', packageId).forNoKeyUpdate().execute();
  const { count } = await trx
    .selectFrom('links')
    .select((select) => select.fn.countAll<string>().as('count'))
    .where('package_id', '=', packageId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= limits.linksPerPackage) {
    throw new ApiError('over_limit', { detail: `A package has at most ${limits.linksPerPackage} links. Make another package for more.` });
  }
}

/** The last message of each link that was mailed, by the link's id. */
async function lastMails(db: Kysely<Database>, packageId: string) {
  const rows = await db
    .selectFrom('messages')
    .select(['link_id', 'state', 'last_error'])
    .where('package_id', '=', packageId)
    .where('kind', '=', 'link')
    .where('link_id', 'is not', null)
    .orderBy('id')
    .execute();
  return new Map(rows.map((row) => [row.link_id!, row]));
}

/** The calls that manage a package's links with a management token. */
export const manageHandlers: HandlersOf<'createLink' | 'listLinks' | 'deleteLink'> = {
  createLink: creation(
    ({ params }, context) => managePackage(context, params.package_id),
    async ({ body }, context, row) => {
      const { db, now, urls } = context;
      const expiry = parseDateTime(body.expiry, 'expiry');
      if (expiry && expiry.getTime() <= now().getTime()) {
        throw new ApiError('invalid_request', { detail: 'expiry: this moment has passed already.' });
      }
      if (row.state === 'expired' || row.state === 'archived') throw new ApiError('package_expired');
      const email = body.email ?? '';
      const policies = await readPolicies(db, row.team_id);
      requireRecipient(policies, email);
      if (email !== '') requireRecipients(policies, [email], 'email');
      if (body.verify_recipient && email === '') {
        throw new ApiError('invalid_request', { detail: 'verify_recipient: a code needs somebody to be mailed to. Give an email.' });
      }
      // Left out, the package's; nobody can prove to be "nobody in particular".
      const verifies = email !== '' && verification(policies, body.verify_recipient, row.verify_recipient);
      requirePassword(policies, body.password === undefined ? row.password_hash !== null : body.password !== '', 'password');
      // An omitted password means the package's; an empty one means none.
      const passwordHash =
        body.password === undefined ? row.password_hash : body.password === '' ? null : await hashPassword(body.password);
      const link = {
        ...newLink(),
        email,
        password_hash: passwordHash,
        access_limit: body.access_limit ?? row.access_limit,
        expiry,
        disabled_at: null,
        verify_recipient: verifies,
      };
      await inTransaction(db, async (trx) => {
        await requireRoom(trx, row.id);
        await trx
          .insertInto('links')
          .values({ ...link, package_id: row.id, created_at: now() })
          .execute();
      });
      return toLink(link, row, urls);
    },
  ),

  async listLinks({ params }, context) {
    const row = await managePackage(context, params.package_id);
    const links = await context.db
      .selectFrom('links')
      .select(['id', 'email', 'secret', 'password_hash', 'access_limit', 'expiry', 'disabled_at', 'verify_recipient'])
      .where('package_id', '=', row.id)
      .orderBy('id')
      .execute();
    const mails = await lastMails(context.db, row.id);
    return links.map((link) => {
      const mail = mails.get(link.id);
      return { ...toLink(link, row, context.urls), ...(mail && { mail: mailOutcome(mail) }) };
    });
  },

  async deleteLink({ params }, context) {
    const { db, now } = context;
    const row = await managePackage(context, params.package_id);
    const { numUpdatedRows } = await db
      .updateTable('links')
      .set((to) => ({ disabled_at: to.fn.coalesce('disabled_at', to.val(now())) }))
      .where('id', '=', params.link_id)
      .where('package_id', '=', row.id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new ApiError('not_found', { resource: 'link' });
  },
};
