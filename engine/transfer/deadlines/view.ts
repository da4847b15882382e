import type { TransferDeadline } from '#protocol/agent/deadline.ts';
import type { Phase } from '../state-machine.ts';
import type { Contender, LineSpeeds } from './contender.ts';
import { slackOf } from './slack.ts';

interface Known {
  readonly phase: Phase;
  /** It is late at its share of the line. */
  readonly isAtRisk: boolean;
  /** How many transfers wait for it. */
  readonly lenders: number;
  /** Milliseconds since 1970; `Infinity` if never at this rate. */
  readonly expectedAt: number | undefined;
  readonly line: LineSpeeds;
  readonly now: number;
}

/** A transfer's deadline as the local API shows it; `null` without one, and once it is cancelled. */
export function deadlineView(one: Contender & { readonly dueAt: number }, known: Known): TransferDeadline | null {
  const { phase, line, now, expectedAt } = known;
  if (phase.state === 'cancelled') return null;
  const isMeasured = line[one.kind] !== null && one.bytesLeft !== null;
  const isLive = phase.state === 'queued' || phase.state === 'transferring';
  const isOver = phase.state === 'complete';
  const slack = isMeasured && !isOver ? slackOf(one, line, now) : null;
  const state = stateOf(one.dueAt, known, slack);
  return {
    due_at: new Date(one.dueAt).toISOString(),
    state,
    slack_seconds: slack === null ? null : Math.round(slack / 1_000),
    ...(isLive && isMeasured && expectedAt !== undefined && isDate(expectedAt) ? { expected_at: new Date(expectedAt).toISOString() } : {}),
    message: messageOf(state, known),
  };
}

function stateOf(dueAt: number, { phase, now, isAtRisk }: Known, slack: number | null): TransferDeadline['state'] {
  if (phase.state === 'complete') return phase.finishedAt <= dueAt ? 'met' : 'missed';
  if (dueAt <= now) return 'missed';
  if (phase.state !== 'queued' && phase.state !== 'transferring') return 'unknown';
  if (slack === null) return 'unknown';
  if (slack < 0) return 'cannot_be_met';
  return isAtRisk ? 'at_risk' : 'on_time';
}

function messageOf(state: TransferDeadline['state'], { phase, lenders }: Known): string {
  switch (state) {
    case 'met':
      return 'It was over in time.';
    case 'missed':
      return phase.state === 'complete' ? 'It was over too late.' : 'It is late: the deadline has passed.';
    case 'cannot_be_met':
      return 'The deadline cannot be met: even with the whole line it takes too long.';
    case 'at_risk':
      return lenders > 0 ? 'It needs more than its share of the line to be in time: others wait for it.' : 'At this speed it will be late.';
    case 'on_time':
      return 'It will be in time.';
    case 'unknown':
      return phase.state === 'queued' || phase.state === 'transferring'
        ? 'Whether it will be in time is not known yet.'
        : 'It does not run, so nothing can be said.';
  }
}

/** Dates end with the year 275760. */
const isDate = (milliseconds: number): boolean => Math.abs(milliseconds) <= 8.64e15;
