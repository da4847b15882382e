import type { LogEvent } from '#protocol/agent/transfer-actions.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../state/store.ts';
import type { PhaseEvent, Waiting } from './state-machine.ts';

/** The event log of each transfer, for people to read. */
interface EventLog {
  note(id: string, event: LogEvent, detail?: string): void;
  /** An event that changed the transfer's phase. */
  phase(id: string, event: PhaseEvent): void;
  /**
   * Why it waits now, or `null` if it does not. The same reason is logged once, until the transfer moves again for
   * longer than a moment.
   */
  waiting(id: string, waiting: Waiting | null): void;
  /** It no longer runs. */
  ended(id: string): void;
  /** Some entries were lost: the reasons for waiting are logged once more. */
  lost(): void;
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

/** Milliseconds that it must move before it counts as resumed: between two retries it does not wait either. */
const settled = 5_000;

/** The same cause with another backoff, or during a retry, is not logged again. */
const withoutPause = (reason: string): string => reason.replace(/(?:; trying again in \d+ s)?\.$/, '');

export function createEventLog(store: Pick<Store, 'log' | 'writer'>, clock: Clock): EventLog {
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
        const reason = withoutPause(waiting.reason);
        if (before?.reason !== reason) note(id, 'waiting', waiting.reason);
        waits.set(id, { reason, movingSince: null });
      } else if (before) {
        before.movingSince ??= clock.now();
        if (clock.now() - before.movingSince < settled) return;
        waits.delete(id);
        note(id, 'going_on');
      }
    },
    ended: (id) => void waits.delete(id),
    lost: () => waits.clear(),
  };
}
