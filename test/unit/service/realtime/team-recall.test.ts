import { describe, expect, it } from 'vitest';
import { createTeamRecall } from '#service/realtime/team-recall.ts';

const [a, b] = ['team a', 'team b'];

function recallAt() {
  let now = 1_000;
  const recall = createTeamRecall({ milliseconds: 60, most: 5, clock: () => now });
  return {
    recall,
    at(moment: number) {
      now = moment;
      return recall;
    },
  };
}

describe('what a process was told of Teams', () => {
  it('is remembered of each from a moment on', () => {
    const { recall, at } = recallAt();
    recall.reset();
    at(1_010).add(a, { what: 'tags', ids: [] });
    at(1_020).add(b, { what: 'members', ids: [] });
    at(1_030).add(a, { what: 'packages', ids: ['p'] });
    expect(recall.since(a, 1_000)).toEqual([
      { what: 'tags', ids: [] },
      { what: 'packages', ids: ['p'] },
    ]);
    expect(recall.since(a, 1_011)).toEqual([{ what: 'packages', ids: ['p'] }]);
    expect(recall.since(b, 1_030)).toEqual([]);
  });

  it('is not known before it listened, after it was cut off, or for longer than it lasts', () => {
    const { recall, at } = recallAt();
    expect(recall.since(a, 1_000)).toBeNull();
    recall.reset();
    expect(recall.since(a, 999)).toBeNull();
    expect(at(1_040).since(a, 1_000)).toEqual([]);
    expect(at(1_061).since(a, 1_000)).toBeNull();
    recall.reset();
    expect(recall.since(a, 1_060)).toBeNull();
  });

  it('is forgotten from its beginning where it is too much', () => {
    const { recall, at } = recallAt();
    recall.reset();
    for (const moment of [1_010, 1_020, 1_030]) at(moment).add(a, { what: 'packages', ids: [String(moment)] });
    expect(recall.since(a, 1_000)).toBeNull();
    expect(recall.since(a, 1_015)).toEqual([
      { what: 'packages', ids: ['1020'] },
      { what: 'packages', ids: ['1030'] },
    ]);
    at(1_040).add(b, { what: 'packages', ids: ['1', '2', '3', '4', '5'] });
    expect(recall.since(a, 1_035)).toBeNull();
    expect(recall.since(a, 1_041)).toEqual([]);
  });
});
