import { expect, it } from 'vitest';
import type { PackageState } from '#protocol/hosted/packages.ts';
import { type PackageEvent, transition } from '#service/packages/states.ts';

const rows: readonly (readonly [PackageState, PackageEvent, string])[] = [
  ['new', 'finalize', 'finalized'],
  ['new', 'expire', 'state_conflict'],
  ['new', 'archive', 'state_conflict'],
  ['new', 'unarchive', 'state_conflict'],
  ['finalized', 'finalize', 'stays'],
  ['finalized', 'expire', 'expired'],
  ['finalized', 'archive', 'state_conflict'],
  ['finalized', 'unarchive', 'state_conflict'],
  ['expired', 'finalize', 'package_expired'],
  ['expired', 'expire', 'stays'],
  ['expired', 'archive', 'archived'],
  ['expired', 'unarchive', 'stays'],
  ['archived', 'finalize', 'package_expired'],
  ['archived', 'expire', 'stays'],
  ['archived', 'archive', 'stays'],
  ['archived', 'unarchive', 'expired'],
];

it.each(rows)('a package that is %s, on %s: %s', (state, event, expected) => {
  const result = transition(state, event);
  expect(result.outcome === 'moves' ? result.to : result.outcome === 'stays' ? 'stays' : result.error).toBe(expected);
});
