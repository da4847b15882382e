import { describe, expect, it } from 'vitest';
import { among } from '#web/console/ui/choice-sources.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ id: name, name }));
const names = (...found: Parameters<typeof among>) => among(...found).records.map(({ name }) => name);

describe('what is chosen from', () => {
  const all = named('Season 10', 'season 2', 'Ödland', 'Trailer', 'Oper');

  it('is in the order of names, numbers as such', () => {
    expect(names(all, '', 9)).toEqual(['Ödland', 'Oper', 'season 2', 'Season 10', 'Trailer']);
  });

  it('has the part in its name, regardless of case', () => {
    expect(names(all, 'SEASON', 9)).toEqual(['season 2', 'Season 10']);
    expect(names(all, 'öd', 9)).toEqual(['Ödland']);
    expect(among(all, 'x', 9)).toEqual({ records: [], total: 0 });
  });

  it('says how many there are beside the first', () => {
    expect(among(all, '', 2)).toMatchObject({ total: 5, records: named('Ödland', 'Oper') });
  });
});
