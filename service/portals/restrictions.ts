import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import type { NewFile } from '../files/writes.ts';
import type { Context } from '../handler.ts';
import type { PackageFacts } from '../memory.ts';
import { type Asked, type Held, type Restrictions, refusalOf, restrictionsOf, ruleColumns, takes } from './rules.ts';

/**
 * For so long, in milliseconds, what a Portal takes is remembered, and what a package holds is added up here instead of
 * read. Another process may change the one and add to the other; finalizing the package reads both.
 */
const memoryStands = 5_000;

/** What a Portal takes. This process forgets it when it changes the Portal. */
async function rulesAt({ db, memory }: Pick<Context, 'db' | 'memory'>, portalId: string, at: number): Promise<Restrictions | null> {
  const known = memory.portalRules.get(portalId);
  if (known && at - known.at < memoryStands) return known.restrictions;
  const restrictions = await readRules(db, portalId);
  memory.portalRules.set(portalId, { restrictions, at });
  return restrictions;
}

async function readRules(db: Kysely<Database>, portalId: string): Promise<Restrictions | null> {
  const portal = await db.selectFrom('portals').select(ruleColumns).where('id', '=', portalId).executeTakeFirst();
  return portal ? restrictionsOf(portal) : null;
}

/**
 * Why each of some new files of one package is refused by its Portal; null for those that are not, and nothing for a
 * package of no Portal. Those before a file count with it.
 */
export async function refusalsOf(
  { db, memory, now }: Pick<Context, 'db' | 'memory' | 'now'>,
  { portalId }: Pick<PackageFacts, 'portalId'>,
  files: readonly NewFile[],
): Promise<readonly (ApiError | null)[]> {
  const packageId = files[0]?.package_id;
  if (portalId === null || packageId === undefined) return [];
  const at = now().getTime();
  const restrictions = await rulesAt({ db, memory }, portalId, at);
  if (!restrictions) return [];
  const known = memory.portalSums.get(packageId);
  if (known && at - known.at < memoryStands) {
    const judged = judgeAll(restrictions, files, known);
    if (!judged.refusals.some(Boolean)) {
      memory.portalSums.set(packageId, { ...judged.sums, at: known.at });
      return judged.refusals;
    }
  }
  // What was added up may be too much: a file was deleted, or is asked for again.
  const judged = judgeAll(restrictions, files, await readSums(db, packageId, files));
  memory.portalSums.set(packageId, { ...judged.sums, at });
  return judged.refusals;
}

function judgeAll(restrictions: Restrictions, files: readonly Asked[], before: Held) {
  const sums = { files: before.files, bytes: before.bytes };
  const refusals = files.map((file) => {
    const refusal = refusalOf(restrictions, file, sums);
    if (!refusal && file.kind === 'file') {
      sums.files += 1;
      sums.bytes += file.size ?? 0;
    }
    return refusal;
  });
  return { refusals, sums };
}

/** What the sender has put into the package beside the files asked for now. */
async function readSums(db: Kysely<Database>, packageId: string, asked: readonly NewFile[]): Promise<{ files: number; bytes: number }> {
  const places = asked.map((file) => `\\x${file.place.toString('hex')}`);
  const { rows } = await sql<{ files: string; bytes: string }>`
    select count(*) as files, coalesce(sum(size), 0) as bytes from files
    where package_id = ${packageId} and kind = 'file' and place <> all(${places}::text[]::bytea[]) and ${notDelivered}`.execute(db);
  return { files: Number(rows[0]!.files), bytes: Number(rows[0]!.bytes) };
}

/** Without the answers to the form, which the sender does not send. */
const notDelivered = sql<boolean>`not exists (select from form_deliverables where form_deliverables.file_id = files.id)`;

/** Names that one statement looks at. */
const namesAtOnce = 1_000;

/**
 * Refuses to finalize a package that its Portal does not take: its settings may have changed, or the size of a file was
 * not known when it was created. `state_conflict` says what has to go. Within the transaction that holds the package.
 */
export async function checkRestrictions(trx: Kysely<Database>, packageId: string, portalId: string | null): Promise<void> {
  if (portalId === null) return;
  const restrictions = await readRules(trx, portalId);
  if (!restrictions) return;
  const { maxPackageSize, maxFileSize, maxFileCount } = restrictions;
  const refuse = (detail: string): never => {
    throw new ApiError('state_conflict', { detail: `${detail} Delete what is too much, then finalize the package again.` });
  };
  const sums = await readSums(trx, packageId, []);
  if (maxFileCount > 0 && sums.files > maxFileCount) {
    refuse(`This Portal takes at most ${maxFileCount} files in a package, and this one has ${sums.files}.`);
  }
  if (maxPackageSize > 0 && sums.bytes > maxPackageSize) {
    refuse(`This Portal takes at most ${maxPackageSize} bytes in a package, and this one has ${sums.bytes}.`);
  }
  const large = maxFileSize === 0 ? null : await firstFile(trx, packageId, sql`size > ${maxFileSize}`);
  if (large) refuse(`This Portal takes files of at most ${maxFileSize} bytes, and ${large} is larger.`);
  const other = restrictions.fileTypes ? await firstOfOtherType(trx, packageId, restrictions) : null;
  if (other) refuse(`This Portal takes only files of the types ${restrictions.fileTypes?.join(', ')}, and ${other} is none.`);
}

const wholeName = sql<string>`concat(nullif(path, '') || '/', name)`;

async function firstFile(trx: Kysely<Database>, packageId: string, condition: ReturnType<typeof sql>): Promise<string | null> {
  const { rows } = await sql<{ first: string | null }>`
    select min(${wholeName} collate "C") as first from files
    where package_id = ${packageId} and kind = 'file' and ${condition} and ${notDelivered}`.execute(trx);
  return rows[0]?.first ?? null;
}

/** The database knows lower case of ASCII only for certain, so what it doubts is looked at here. */
async function firstOfOtherType(trx: Kysely<Database>, packageId: string, restrictions: Restrictions): Promise<string | null> {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string; name: string; whole: string }>`
      select id::text, name, ${wholeName} as whole from files
      where package_id = ${packageId} and kind = 'file' and id::text > ${last} and ${notDelivered}
        and coalesce(lower(substring(name from '.(\\.[^.]*)$')), '') <> all(${restrictions.fileTypes}::text[])
      order by id::text limit ${namesAtOnce}`.execute(trx);
    const other = rows.find(({ name }) => !takes(restrictions, name));
    if (other) return other.whole;
    if (rows.length < namesAtOnce) return null;
    last = rows.at(-1)!.id;
  }
}
