import type { LogEvent } from '#protocol/agent/many-transfers.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../state/store.ts';
import type { PhaseEvent, Waiting } from './states.ts';

/** Writes down what becomes of each transfer, for the log that a person reads. */
export interface Chronicle {
  note(id: string, event: LogEvent, detail?: string): void;
  /** An event that changed the transfer's phase. */
  phase(id: string, event: PhaseEvent): void;
  /** Why it stands still now, or that it does not. The same reason is told once, until it goes on for longer than a moment. */
  waiting(id: string, waiting: Waiting | null): void;
  /** It runs no more. */
  ended(id: string): void;
}

const events: Readonly<Record<PhaseEvent['type'], LogEvent>> = {
  start: 'started',
  interrupt: 'interrupted',
  all_sent: 'all_sent',
  finish: 'complete',
  fail: 'failed',
  cancel: 'cancelled',
  pause: 'paused',
  resume: 'resumed',
  retry: 'retried',
  finalize: 'finalize_asked',
  more: 'more_files',
};

/** Milliseconds for which it has to move before it is said to go on: between two tries nothing stands still either. */
const settled = 5_000;

export function createChronicle(store: Pick<Store, 'log' | 'writer'>, clock: Clock): Chronicle {
  const waits = new Map<string, { readonly reason: string; movingSince: number | null }>();

  const note = (id: string, event: LogEvent, detail = ''): void =>
    store.writer.write(() => store.log.note(id, { at: clock.now(), event, detail }));

  return {
    note,
    phase(id, event) {
      const until = event.type === 'pause' && event.until !== null ? new Date(event.until).toISOString() : '';
      note(id, events[event.type], event.type === 'fail' ? event.failure.message : until);
    },
    waiting(id, waiting) {
      const before = waits.get(id);
      if (waiting) {
        if (before?.reason !== waiting.reason) note(id, 'waiting', waiting.reason);
        waits.set(id, { reason: waiting.reason, movingSince: null });
      } else if (before) {
        before.movingSince ??= clock.now();
        if (clock.now() - before.movingSince < settled) return;
        waits.delete(id);
        note(id, 'going_on');
      }
    },
    ended: (id) => void waits.delete(id),
  };
}
