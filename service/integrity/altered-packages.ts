import { createHash } from 'node:crypto';
import { compactVerify, EmbeddedJWK } from 'jose';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { type ReceiptClaims, receiptAlgorithm } from '#protocol/receipt.ts';
import type { Database } from '../database/schema/database.ts';
import { linesOf, manifestPages } from '../receipts/manifest.ts';
import type { Finding } from './finding.ts';

/**
 * Rows that say something else than when their package was finalized: each is in the package's receipt, which was signed then.
 */

const perPage = 100;
/** Files of one package that are named at most. */
const mostNamed = 20;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly team_id: string;
  readonly jws: string;
}

const finalized = `from packages join receipts on receipts.package_id = packages.id
  where packages.state = 'finalized' and packages.free_asked_at is null`;
const columns = 'packages.id, packages.name, packages.team_id, receipts.jws';

/** Goes through finalized packages by id, from the one after `reached` on (`''`: all of them). */
export async function* alteredPackages(
  client: pg.Client,
  reached: string,
): AsyncGenerator<{ readonly reached: string; readonly packages: number; readonly findings: readonly Finding[] }> {
  const db = queriesOf(client);
  for (let last = reached; ; ) {
    const { rows } = await client.query<Row>(
      `select ${columns} ${finalized} and ($1 = '' or packages.id > nullif($1, '')::uuid) order by packages.id limit ${perPage}`,
      [last],
    );
    if (rows.length === 0) return;
    last = rows.at(-1)!.id;
    const findings: Finding[] = [];
    for (const row of rows) findings.push(...(await compared(client, db, row)));
    yield { reached: last, packages: rows.length, findings };
  }
}

async function compared(client: pg.Client, db: Kysely<Database>, row: Row): Promise<readonly Finding[]> {
  const detail = await differenceOf(db, row);
  if (detail === null) return [];
  // It may have ended while its rows were read.
  const { rows } = await client.query<Row>(`select ${columns} ${finalized} and packages.id = $1`, [row.id]);
  const [now] = rows;
  if (now?.jws !== row.jws || (await differenceOf(db, now)) === null) return [];
  const about = { kind: 'altered' as const, team_id: row.team_id, package_id: row.id, package_name: row.name };
  const files = await misplacedFiles(client, row.id);
  return [
    { ...about, key: row.id, path: `packages/${row.id}`, detail },
    ...files.map(({ id, name }) => ({
      ...{ ...about, key: id, path: `files/${id}`, file_id: id, file_name: name },
      detail: 'its row has another name than it was made with',
    })),
  ];
}

/** What of a package's rows is not as its receipt says; `null` where all is. */
async function differenceOf(db: Kysely<Database>, { id, jws }: Row): Promise<string | null> {
  const claims = await signedClaims(jws);
  if (claims?.package_id !== id) return 'its receipt is not as it was signed';
  const hash = createHash('sha256');
  let [files, directories, bytes] = [0, 0, 0];
  for await (const entries of manifestPages(db, id)) {
    hash.update(linesOf(entries));
    for (const { kind, size = 0 } of entries) {
      if (kind === 'directory') directories++;
      else files++;
      bytes += size;
    }
  }
  if (claims.manifest === `sha256:${hash.digest('hex')}`) return null;
  const counts = (of: Pick<ReceiptClaims, 'files' | 'directories' | 'bytes'>) =>
    `${of.files} files and ${of.directories} folders of ${of.bytes} bytes`;
  const now = counts({ files, directories, bytes });
  return now === counts(claims)
    ? 'a name, time, digest or chunk size of its files is not as its receipt says'
    : `its receipt says ${counts(claims)}, and its rows say ${now}`;
}

async function signedClaims(jws: string): Promise<ReceiptClaims | null> {
  try {
    const { payload } = await compactVerify(jws, EmbeddedJWK, { algorithms: [receiptAlgorithm] });
    return JSON.parse(new TextDecoder().decode(payload)) as ReceiptClaims;
  } catch {
    return null;
  }
}

/** A file's `place` is the SHA-256 of its folder and name (files/plan.ts). */
async function misplacedFiles(client: pg.Client, packageId: string): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { rows } = await client.query<{ id: string; name: string }>(
    `select id, concat_ws('/', nullif(path, ''), name) as name from files
     where package_id = $1 and place <> sha256(convert_to(path || '/' || name, 'UTF8')) order by place limit ${mostNamed}`,
    [packageId],
  );
  return rows;
}

/** Queries by this one connection, which stays the caller's. */
const queriesOf = (client: pg.Client): Kysely<Database> => {
  const borrowed = Object.assign(Object.create(client) as pg.PoolClient, { query: client.query.bind(client), release: () => undefined });
  return new Kysely({ dialect: new PostgresDialect({ pool: { options: {}, connect: async () => borrowed, end: async () => undefined } }) });
};
