import { sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';
import type { Scene } from './scene.ts';

/** A deadline at 18:00 of a day in January 2027, as the agent shows it. */
export const due = (state: 'on_time' | 'at_risk' | 'cannot_be_met', day: number) => ({
  due_at: `2027-01-${day}T18:00:00.000Z`,
  state,
  slack_seconds: 3_600,
  expected_at: `2027-01-${day}T17:10:00.000Z`,
  message: '',
});

const transfers = [
  sampleTransfer({ deadline: due('at_risk', 20), priority: 'high' }),
  sampleTransfer({
    id: 'transfer-2',
    name: 'VFX plates, sequence 040 to 120, graded and ungraded, with reference stills of every set-up in the yard',
    state: 'queued',
    position: 2,
    bytes_per_second: 0,
    seconds_left: null,
    waiting: { reason: 'It waits for "Dailies, day 12", which is due at 2027-01-20 18:00 UTC.' },
  }),
  sampleTransfer({ id: 'transfer-3', name: 'Sound rushes', position: 3, deadline: due('on_time', 30) }),
  sampleTransfer({ id: 'transfer-4', name: 'Camera reports', position: 4, kind: 'download', deadline: due('cannot_be_met', 12) }),
];

/** Transfers with deadlines, and what waits for them. */
export const deadlineScenes: readonly Scene[] = [
  { name: 'deadlines', agent: { session: sampleSession(), transfers }, shows: 'Due' },
  {
    name: 'deadline-details',
    agent: { session: sampleSession(), transfers },
    act: (page) => page.getByRole('link', { name: 'Dailies, day 12' }).click(),
    shows: 'Should be over by',
  },
];
