import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyIn, copyOut } from '#service/database/copy.ts';
import { emptyTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';

/** Many rows through the driver's COPY, so that they come and go in pieces that end anywhere. */

const count = 60_000;
const query = `select i, repeat(md5(i::text), i % 20) as text from generate_series(1, ${count}) as i`;
let postgres: TestPostgres;
let client: pg.Client;
beforeAll(async () => {
  postgres = await emptyTestDatabase();
  client = new pg.Client(postgres.url);
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await postgres?.close();
});

const inWords = (index: number): string => `${index}\t${hash('md5', String(index)).repeat(index % 20)}`;

it('gives every row as it is, however late they are taken, and takes them back', async () => {
  const pieces: Buffer[] = [];
  for await (const piece of copyOut(client, `copy (${query}) to stdout`)) {
    pieces.push(piece);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  }
  const lines = Buffer.concat(pieces).toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  expect(lines).toHaveLength(count);
  expect(lines.filter((line, index) => line !== inWords(index + 1))).toEqual([]);

  await client.query('create table taken (i integer, text text)');
  async function* again() {
    yield* pieces;
  }
  expect(await copyIn(client, 'copy taken from stdin', again())).toBe(count);
  const { rows } = await client.query(
    `select count(*) as wrong from taken full join (${query}) as given using (i, text) where taken.i is null`,
  );
  expect(rows).toEqual([{ wrong: '0' }]);
});

it('leaves the connection good where a side gives up', async () => {
  for await (const _ of copyOut(client, `copy (${query}) to stdout`)) break;
  async function* failing() {
    yield Buffer.from('1\tone\n');
    throw new Error('the disk broke');
  }
  await client.query('create table half (i integer, text text)');
  await expect(copyIn(client, 'copy half from stdin', failing())).rejects.toThrow('the disk broke');
  async function* wrong() {
    yield Buffer.from('no number\tone\n');
  }
  await expect(copyIn(client, 'copy half from stdin', wrong())).rejects.toMatchObject({ code: '22P02' });
  await expect(copyOut(client, 'copy nowhere to stdout').next()).rejects.toMatchObject({ code: '42P01' });
  expect((await client.query('select count(*) as rows from half')).rows).toEqual([{ rows: '0' }]);
});
