import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { migrateTo } from '#service/database/database.ts';
import { migrations } from '#service/database/migrations/index.ts';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import type { Database } from '#service/database/schema/database.ts';
import { idOf, seedRows, seedTeam } from './seed-rows.ts';

/** `node bench/scale/migrations.ts --from 0048 --files 10000000`: for how long each migration holds up those who write. */

interface Flags {
  readonly from: string;
  readonly files: string;
  readonly folder: string;
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const writes: readonly (readonly [table: string, statement: string])[] = [
  ['packages', `update packages set updated_at = now() where id = ${idOf('$1::bigint')}`],
  [
    'files',
    `insert into files (id, package_id, place, kind, path, name, state, chunk_size, created_at)
     values (gen_random_uuid(), ${idOf('$1::bigint')}, sha256(convert_to(clock_timestamp()::text, 'UTF8')), 'file', '', 'x', 'new', 1, now())`,
  ],
];

/** Writes all the time, each once the one before is done, until it is stopped. */
async function startWriter(connection: pg.ClientConfig, statement: string, packages: number) {
  const client = new pg.Client({ ...connection, application_name: 'writer' });
  await client.connect();
  await client.query('set statement_timeout = 0');
  let longest = 0;
  let stopped = false;
  const loop = (async () => {
    for (let n = 0; !stopped; n += 1) {
      const at = performance.now();
      await client.query(statement, [(n * 7_919) % packages]);
      longest = Math.max(longest, performance.now() - at);
    }
  })();
  return {
    reset: () => (longest = 0),
    longest: () => longest,
    async stop() {
      stopped = true;
      await loop;
      await client.end();
    },
  };
}

async function measure({ from, files: filesText, folder }: Flags): Promise<void> {
  const files = Number(filesText);
  const names = Object.keys(migrations);
  const first = names.findIndex((name) => name >= from);
  const scratch = await mkdtemp(join(folder, 'longshore-migrations-'));
  const postgres = await startPrivatePostgres({
    ...{ folder: join(scratch, 'postgres'), secret: Buffer.alloc(32, 1), logFile: join(scratch, 'postgres.log'), log: quiet },
  });
  const client = new pg.Client(postgres.connection);
  // Without the timeouts of a service's calls.
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...postgres.connection, max: 2 }) }) });
  try {
    await migrateTo(db, names[first]!, quiet);
    await client.connect();
    const say = (text: string) => process.stderr.write(`\r${text}   `);
    const began = performance.now();
    await seedRows(client, await seedTeam(client), files, say);
    const { rows } = await client.query<{ size: string }>('select pg_size_pretty(pg_database_size(current_database())) as size');
    process.stderr.write('\n');
    const lines = [
      `${files.toLocaleString('en-US')} files in ${(files / 10).toLocaleString('en-US')} packages, ${rows[0]!.size}, made in ${((performance.now() - began) / 1000).toFixed(0)} s`,
      '',
      `| migration | it takes, ms | longest write of ${writes.map(([table]) => table).join(', of ')}, ms |`,
      '|---|---|---|',
    ];
    const writers = await Promise.all(writes.map(([, statement]) => startWriter(postgres.connection, statement, files / 10)));
    const settle = () => new Promise((resolve) => setTimeout(resolve, 1_000));
    const row = async (name: string, work: () => Promise<unknown>) => {
      for (const writer of writers) writer.reset();
      const at = performance.now();
      await work();
      const took = performance.now() - at;
      lines.push(`| ${name} | ${took.toFixed(0)} | ${writers.map((writer) => writer.longest().toFixed(0)).join(', ')} |`);
      await settle();
    };
    await row('none, for a second', settle);
    for (const name of names.slice(first + 1)) await row(name, () => migrateTo(db, name, quiet));
    for (const writer of writers) await writer.stop();
    process.stdout.write(`${lines.join('\n')}\n`);
    await writeFile(join(folder, 'longshore-migrations.md'), `${lines.join('\n')}\n`);
  } finally {
    await db.destroy();
    await client.end().catch(() => undefined);
    await postgres.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

await measure(
  new Command('bench/scale/migrations.ts')
    .requiredOption('--from <name>', 'the migration that the database has had last, by the beginning of its name')
    .option('--files <count>', 'rows in files; a tenth as many packages', '10000000')
    .option('--folder <path>', 'where the database is', tmpdir())
    .parse()
    .opts<Flags>(),
);
