import { expect, it } from 'vitest';
import { type PackageState, packageStates } from '#protocol/hosted/packages.ts';
import { movesOf, type PackageEvent, packageEvents, transition } from '#service/packages/state-machine.ts';

const rows: readonly (readonly [PackageState, PackageEvent, string])[] = [
  ['new', 'finalize', 'finalized'],
  ['new', 'expire', 'state_conflict'],
  ['new', 'delete', 'expired'],
  ['new', 'abandon', 'expired'],
  ['new', 'archive', 'state_conflict'],
  ['new', 'unarchive', 'state_conflict'],
  ['finalized', 'finalize', 'stays'],
  ['finalized', 'expire', 'expired'],
  ['finalized', 'delete', 'expired'],
  ['finalized', 'abandon', 'state_conflict'],
  ['finalized', 'archive', 'state_conflict'],
  ['finalized', 'unarchive', 'state_conflict'],
  ['expired', 'finalize', 'package_expired'],
  ['expired', 'expire', 'stays'],
  ['expired', 'delete', 'stays'],
  ['expired', 'abandon', 'stays'],
  ['expired', 'archive', 'archived'],
  ['expired', 'unarchive', 'stays'],
  ['archived', 'finalize', 'package_expired'],
  ['archived', 'expire', 'stays'],
  ['archived', 'delete', 'stays'],
  ['archived', 'abandon', 'stays'],
  ['archived', 'archive', 'stays'],
  ['archived', 'unarchive', 'expired'],
];

it.each(rows)('a package that is %s, on %s: %s', (state, event, expected) => {
  const result = transition(state, event);
  expect(result.outcome === 'moves' ? result.to : result.outcome === 'stays' ? 'stays' : result.error).toBe(expected);
});

it('the table above has a row for every state and event', () => {
  expect(rows).toHaveLength(packageStates.length * packageEvents.length);
});

it.each([
  ['expire', ['finalized'], 'expired'],
  ['delete', ['new', 'finalized'], 'expired'],
  ['archive', ['expired'], 'archived'],
  ['unarchive', ['archived'], 'expired'],
] as const)('%s moves many packages at once out of %s', (event, from, to) => {
  expect(movesOf(event)).toEqual({ from, to });
});
