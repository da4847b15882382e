import fc from 'fast-check';
import { type KyselyPlugin, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pathHash } from '#service/files/plan.ts';
import { createFileWrites, finalizeFiles, insertFiles, type NewFile } from '#service/files/writes.ts';
import { newId } from '#service/ids.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** The two statements that every file costs, of many files and packages at once, against a model of what they promise. */

let t: TestService;
let closed: string;

beforeAll(async () => {
  t = await startTestService();
  const sender = await newSender(t);
  await sender.send('', 'only', Buffer.from('one'));
  await sender.finalize();
  closed = sender.package.id;
});
afterAll(async () => {
  await t?.close();
});

interface Row {
  readonly id: string;
  readonly kind: 'file' | 'directory';
  readonly state: 'new' | 'finalized';
  readonly size: number | null;
}

const names = ['a', 'b', 'ü {x,y}', "it's", 'NULL', 'c', 'd', 'e'];
const insertion = fc.record({
  what: fc.constant('insert' as const),
  files: fc.uniqueArray(
    fc.record({
      to: fc.constantFrom(0, 1, 2),
      name: fc.constantFrom(...names),
      path: fc.constantFrom('', 'folder/ä, {b}'),
      kind: fc.constantFrom('file' as const, 'file' as const, 'directory' as const),
      size: fc.option(fc.nat(10_000)),
      modified: fc.option(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })),
    }),
    { minLength: 1, maxLength: 30, selector: ({ to, path, name }) => `${to} ${path}/${name}` },
  ),
});
/** Which of the rows there are, by their rank, and one that there is not. */
const finalization = fc.record({
  what: fc.constant('finalize' as const),
  ranks: fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 30 }),
  elsewhere: fc.boolean(),
});

it('come out as a model of them, whatever is there already', async () => {
  const { db } = t.service.services;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(insertion, finalization), { minLength: 1, maxLength: 6 }), async (steps) => {
      const packages = [(await newSender(t)).package.id, (await newSender(t)).package.id, closed];
      const model = new Map<string, Row>();
      const freed: string[] = [];
      for (const step of steps) {
        if (step.what === 'insert') {
          const files = step.files.map(({ to, name, path, kind, size, modified }): NewFile => {
            const directory = kind === 'directory';
            return {
              id: newId(),
              package_id: packages[to]!,
              place: pathHash(path, name),
              kind,
              path,
              name,
              last_modified: modified,
              state: directory ? 'finalized' : 'new',
              size: directory ? 0 : size,
              chunk_size: directory ? 0 : 5_000_000,
              created_at: new Date('2026-01-01T12:34:56.789Z'),
            };
          });
          const expected = files.map(({ id, package_id, path, name, kind, state, size }) => {
            if (package_id === closed) return null;
            const key = `${package_id} ${path}/${name}`;
            const before = model.get(key);
            if (before?.kind === 'directory') return kind === 'directory' ? { id: before.id, replacedId: null } : null;
            if (before?.state === 'finalized') return null;
            if (before) freed.push(before.id);
            model.set(key, { id, kind, state, size });
            return { id, replacedId: before?.id ?? null };
          });
          expect(await insertFiles(db, files)).toEqual(expected);
        } else {
          const rows = [...model.entries()];
          const asked = step.ranks.flatMap((rank) => (rows[rank] ? [rows[rank]] : []));
          const files = asked.map(([key, { id }]) => ({
            id,
            package_id: step.elsewhere ? closed : key.slice(0, key.indexOf(' ')),
            size: 7,
            chunk_size: 5_000_000,
            etag: `"odd" \\ {${id}}`,
            digest: null,
            fingerprint: Buffer.from(id).toString('hex'),
            object_key: null as string | null,
          }));
          files.push({
            ...files[0],
            id: newId(),
            package_id: packages[0]!,
            size: 7,
            chunk_size: 1,
            etag: '',
            digest: null,
            fingerprint: '00'.repeat(32),
            object_key: null,
          });
          const expected = asked.map(([, row]) => !step.elsewhere && row.state === 'new');
          expect(await finalizeFiles(db, files, new Date())).toEqual([...expected, false]);
          for (const [index, [key, row]] of asked.entries()) if (expected[index]) model.set(key, { ...row, state: 'finalized', size: 7 });
        }
      }
      const open = packages.filter((id) => id !== closed);
      const { rows } = await sql<Row & { package_id: string; path: string; name: string; etag: string | null }>`
        select id, package_id, path, name, kind, state, size, etag from files where package_id = any(${open}::uuid[])`.execute(db);
      const standing = rows.map(({ package_id, path, name, etag: _, ...row }) => [`${package_id} ${path}/${name}`, row] as const);
      expect(new Map(standing)).toEqual(model);
      for (const { id, kind, state, etag } of rows) {
        expect(etag).toBe(kind === 'file' && state === 'finalized' ? `"odd" \\ {${id}}` : null);
      }
      const { rows: noted } = await sql<{ key: string }>`select key from freed_objects where key = any(${freed}::text[])`.execute(db);
      expect(noted.map(({ key }) => key).sort()).toEqual(freed.toSorted());
    }),
    { numRuns: 40 },
  );
});

/** The first statement is done, and its answer lost, as when the database is switched to its copy. */
function losesTheFirstAnswer(): KyselyPlugin {
  let isLost = false;
  return {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (isLost) return result;
      isLost = true;
      throw new Error('Connection terminated unexpectedly');
    },
  };
}

it('of a batch whose answer was lost are what they were, and no key of theirs is freed', async () => {
  const { db } = t.service.services;
  const { id: packageId } = (await newSender(t)).package;
  const files = ['a.mov', 'b.mov', 'c.mov'].map(
    (name): NewFile => ({
      id: newId(),
      package_id: packageId,
      place: pathHash('', name),
      kind: 'file',
      path: '',
      name,
      last_modified: null,
      state: 'new',
      size: 7,
      chunk_size: 5_000_000,
      created_at: new Date(),
    }),
  );
  const { insert } = createFileWrites(db.withPlugin(losesTheFirstAnswer()), () => new Date());
  expect(await Promise.all(files.map(insert))).toEqual(files.map(({ id }) => ({ id, replacedId: null })));
  const ids = files.map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`select id from files where package_id = ${packageId}::uuid order by name`.execute(db);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  const { rows: freed } = await sql`select key from freed_objects where key = any(${ids}::text[])`.execute(db);
  expect(freed).toEqual([]);
});
