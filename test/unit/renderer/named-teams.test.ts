import { expect, it } from 'vitest';
import { namedTeams } from '#renderer/session/named-teams.ts';
import { sampleSignedIn, sampleTeam } from '#test/support/browser/samples.ts';

const at = (service_url: string, ...teams: [id: string, name: string][]) =>
  sampleSignedIn({ id: service_url, service_url, teams: teams.map(([id, name]) => sampleTeam({ id, name })) });

it('Teams of all services have names that tell them apart', () => {
  const sessions = [
    at('https://one.example', ['a', 'Harbour'], ['b', 'Sound']),
    at('https://two.example/ship', ['c', 'Harbour']),
    // Another account in a Team that is there already.
    at('https://one.example/', ['b', 'Sound']),
  ];
  expect(namedTeams(sessions)).toEqual([
    { id: 'a', name: 'Harbour (one.example)' },
    { id: 'b', name: 'Sound' },
    { id: 'c', name: 'Harbour (two.example/ship)' },
  ]);
});

it('a Team keeps its name when the session has ended', () => {
  const ended = { ...at('https://one.example', ['a', 'Harbour']), state: 'ended' } as const;
  expect(namedTeams([ended])).toEqual([{ id: 'a', name: 'Harbour' }]);
});
