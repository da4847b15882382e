import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { migrations } from '#service/database/migrations/index.ts';
import { compareMigrations, worksSince } from '#service/database/versions.ts';

const names = Object.keys(migrations);

describe('a database beside this version', () => {
  it.each<[string, readonly string[] | null, string | null, string]>([
    ['no tables', null, null, 'empty'],
    ['its own', names, worksSince, 'same'],
    ['its own, of before versions said anything', names, null, 'same'],
    ['none done yet', [], null, 'older'],
    ['one migration less', names.slice(0, -1), worksSince, 'older'],
    ['a later one that only added', [...names, '9999-later'], worksSince, 'ahead'],
    ['a later one that changed what this one uses', [...names, '9999-later'], '9999-later', 'newer'],
    ['a later one that says nothing', [...names, '9999-later'], null, 'newer'],
    ['another line of versions', [...names.slice(0, -1), '9999-later'], worksSince, 'newer'],
  ])('%s', (_, done, since, relation) => {
    expect(compareMigrations(done, since)).toBe(relation);
  });
});

/** What an older node that still runs would stumble over. */
const takesAway =
  /drop\s+(column|table|view)|dropColumn|dropTable|rename|set\s+not\s+null|setNotNull|alter\s+column\s+\S+\s+type|setDataType/i;

it('migrations after the one since which versions work together only add', () => {
  const after = names.slice(names.indexOf(worksSince) + 1);
  for (const name of after) {
    const source = readFileSync(new URL(`../../../../service/database/migrations/${name}.ts`, import.meta.url), 'utf8');
    const up = source.split(/export async function down/)[0]!;
    expect(
      takesAway.exec(up)?.[0],
      `${name} takes something away: let worksSince in service/database/versions.ts be ${name}`,
    ).toBeUndefined();
  }
});
