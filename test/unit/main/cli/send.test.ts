import { describe, expect, it } from 'vitest';
import { chooseTeam, linkLines, parseNotify } from '#main/cli/commands/send.ts';
import { mia } from '../../../support/engine/fake-engine.ts';

const harbour = mia.teams[0]!;
const teams = [
  harbour,
  { ...harbour, id: 't2', name: 'Grading', subdomain: 'grading' },
  { ...harbour, id: 't3', name: 'Grading', subdomain: 'grading-2' },
];

describe('what a sender is told of', () => {
  it.each([
    ['downloaded', ['downloaded']],
    ['failed, downloaded', ['downloaded', 'failed']],
    ['none', []],
  ])('by --notify %s', (text, kinds) => expect(parseNotify(text)).toEqual(kinds));
  it.each(['', 'all', 'none,failed'])('is not %j', (text) => expect(() => parseNotify(text)).toThrow('downloaded, expires, failed'));
});

describe('the Team that is meant', () => {
  it('is the only one', () => expect(chooseTeam([harbour], undefined).id).toBe('t1'));
  it.each(['t1', 'harbour', 'Harbour Films', 'harbour films'])('is found by %j', (wanted) => {
    expect(chooseTeam(teams, wanted).id).toBe('t1');
  });
  it('is asked for when there are several', () => {
    expect(() => chooseTeam(teams, undefined)).toThrow('Choose a Team with --team: "Harbour Films", "Grading", "Grading".');
  });
  it('is asked for again when two have the name', () => {
    expect(() => chooseTeam(teams, 'Grading')).toThrow('Give the subdomain or id');
    expect(chooseTeam(teams, 'grading-2').id).toBe('t3');
  });
  it('is not made up', () => expect(() => chooseTeam([harbour], 'Sound')).toThrow('There is no Team "Sound". Yours: "Harbour Films".'));
  it('is missing for somebody in none', () => expect(() => chooseTeam([], undefined)).toThrow('in no Team'));
});

describe('the links that are printed', () => {
  const link = { email: '', url: 'http://h/d/1?secret=a' };
  it.each([
    [{ url: link.url, links: [link] }, [link.url]],
    [{ url: '', links: [] }, []],
    [
      {
        url: link.url,
        links: [
          { email: 'a@example.com', url: 'u1' },
          { email: 'b\n@example.com', url: 'u2' },
        ],
      },
      ['u1\ta@example.com', 'u2\tb\ufffd@example.com'],
    ],
  ])('of %j', (transfer, lines) => {
    expect(linkLines(transfer)).toEqual(lines);
  });
});
