import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { migrations } from '#service/database/migrations/index.ts';
import { migrationFaults } from '#test/support/service/migration-lint.ts';

/** Migrations never hold up those who write for more than a second (docs/decisions/0100). */

const folder = new URL('../../../../service/database/migrations/', import.meta.url);
const files = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));

/** The last one before the first release: all until then begin with an empty database. */
const lastUnreleased = '0099';

it('every file of the folder is a migration, in its order', () => {
  expect(files.map((name) => name.replace(/\.ts$/, ''))).toEqual(Object.keys(migrations));
});

describe('migrations after the first release', () => {
  it('hold up nobody', () => {
    const late = files.filter((name) => name.slice(0, 4) > lastUnreleased);
    for (const name of late) expect(migrationFaults(readFileSync(new URL(name, folder), 'utf8')), name).toEqual([]);
  });
});

describe('what would hold up those who write', () => {
  it.each([
    ['alter table files alter column size type numeric', 'files: another type'],
    ['alter table files add column a uuid not null default gen_random_uuid()', 'files: a default that differs by row'],
    ['alter table files add column b text, add column a timestamptz default now()', 'files: a default that differs by row'],
    ['alter table files add column a text generated always as (lower(name)) stored', 'files: a stored column'],
    ['alter table only files alter column name set not null', 'files: all rows are read'],
    ['alter table files add constraint c check (size > 0)', 'files: all rows are read under a lock'],
    ['alter table links add constraint l foreign key (a) references files', 'links: all rows are read under a lock'],
    ['create index files_a on files (a)', 'files: nobody writes'],
    ['create unique index files_a on files (a)', 'files: nobody writes'],
    ['update files set a = 1', 'files: all rows at once'],
    ['delete from files', 'files: all rows at once'],
    ['lock table files in exclusive mode', 'files: it holds the whole table'],
    ['alter table files drop column a', 'files: nodes of the version before'],
    ['alter table files rename column a to b', 'files: nodes of the version before'],
    ['drop table files', 'files: nodes of the version before'],
    ['create table a (id int); create index a_b on a (id); update files set a = 1', 'files: all rows at once'],
  ])('%s', (statement, fault) => {
    expect(migrationFaults(statement)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    'alter table files add column a text',
    "alter table files add column a text not null default ''",
    'alter table files add column a boolean not null default false, add column b bigint',
    'alter table files add constraint c check (size > 0) not valid',
    'create table new (id uuid primary key, file_id uuid references files on delete cascade); create index new_a on new (file_id)',
    'create index concurrently files_a on files (a)',
    'create table new (id int); update new set id = 1',
    'insert into service_facts (name) values (1) on conflict (name) do update set value = 2',
    'select from files for update',
  ])('not: %s', (statement) => {
    expect(migrationFaults(statement)).toEqual([]);
  });

  it('is found in migrations of before as well, which are only done on empty tables', () => {
    const found = files.map((name) => migrationFaults(readFileSync(new URL(name, folder), 'utf8')).length);
    expect(found.filter((count) => count > 0).length).toBeGreaterThan(10);
    expect(found.filter((count) => count === 0).length).toBeGreaterThan(10);
  });
});
