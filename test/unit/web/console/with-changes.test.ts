import { expect, it } from 'vitest';
import { withChanges } from '#web/console/ui/with-changes.ts';

/** Two people who have read the same: what the second to save sends. */

const read = { name: 'Dailies', active: true, headers: { 'X-Set': 'A' }, events: ['complete'] };

it('sends what was changed here on top of what somebody else has changed meanwhile', () => {
  const now = { ...read, active: false, events: ['complete', 'error'] };
  expect(withChanges(read, { ...read, name: 'Rushes', headers: { 'X-Set': 'B' } }, now)).toEqual({
    name: 'Rushes',
    active: false,
    headers: { 'X-Set': 'B' },
    events: ['complete', 'error'],
  });
});

it('changes nothing of what is the same by value, though it was made anew', () => {
  const now = { ...read, headers: { 'X-Set': 'C' } };
  expect(withChanges(read, { ...read, headers: { 'X-Set': 'A' } }, now)).toEqual(now);
});

it('takes a field of both from here, and one that was not there before', () => {
  const before: { name?: string; active: boolean } = { active: true };
  expect(withChanges(before, { active: false, name: 'Rushes' }, { active: true, name: 'Dailies' })).toEqual({
    active: false,
    name: 'Rushes',
  });
});
