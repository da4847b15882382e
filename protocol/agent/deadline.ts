import { type Static, Type } from 'typebox';
import { DateTime, Literals } from '../schema.ts';

/** Deadlines of transfers: contract/agent.md §5.1. */

/** When a transfer should be over, by the clock of the agent's machine. */
export const DueAt = {
  ...DateTime,
  description: 'The deadline: when it should be over. In a priority the transfer with the least slack comes first.',
};

export const TransferDeadline = Type.Object(
  {
    due_at: DateTime,
    state: Literals(['on_time', 'at_risk', 'cannot_be_met', 'met', 'missed', 'unknown'], {
      description:
        '`on_time`: in time at its share of the line; `at_risk`: late at its share, so that others may wait for it; `cannot_be_met`: late even with the whole line; `met`, `missed`: it was over in time, or the time has passed; `unknown`: nothing is measured yet, or it does not run.',
    }),
    slack_seconds: Type.Union([Type.Number(), Type.Null()], {
      description: 'How long it could still wait: time left less bytes left / measured speed. Negative: it cannot be met.',
    }),
    expected_at: Type.Optional({ ...DateTime, description: 'When it will be over as things stand.' }),
    message: Type.String({ description: 'The state in words.' }),
  },
  { title: 'TransferDeadline' },
);
export type TransferDeadline = Static<typeof TransferDeadline>;
