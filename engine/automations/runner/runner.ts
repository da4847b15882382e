import type { Automation } from '#protocol/agent/automations/automation.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Happening } from '../../events.ts';
import type { Clock, Log } from '../../ports.ts';
import type { Store } from '../../state/store.ts';
import type { AutomationRecord } from '../record.ts';
import { automationView } from '../view.ts';
import { createLoop, type Loop } from './loop.ts';
import type { AutomationWork, WorkContext } from './work.ts';

export interface RunnerPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly emit: (happening: Happening) => void;
  readonly workFor: (record: AutomationRecord, context: WorkContext) => AutomationWork;
}

/** All automations with their loops. What is thrown for an unknown id is `not_found`. */
export interface Runner {
  all(): AutomationRecord[];
  record(id: string): AutomationRecord;
  view(id: string): Automation;
  /** The record changed, and its loop goes on as it is. */
  replace(record: AutomationRecord): void;
  /** A new record, or one with other settings: its loop begins anew. */
  restart(record: AutomationRecord): Promise<void>;
  /** Resolves when nothing of it runs; `restart` lets it go on. */
  stop(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  wake(id: string): void;
  /** Something that is shown of it changed. */
  changed(id: string): void;
  heard(happening: Happening): void;
  begin(): void;
  close(): Promise<void>;
}

interface Entry {
  record: AutomationRecord;
  loop: Loop;
  /** What was told last, but for its times. */
  lastShown: string;
}

export function createRunner({ store, clock, random, log, emit, workFor }: RunnerPorts): Runner {
  const { records, ledger, questions } = store.automations;
  const entries = new Map<string, Entry>();
  let started = false;

  // A lost batch has not happened: the records are as in the database.
  store.writer.onEnd((lost) => {
    if (!lost) return;
    for (const record of records.all()) {
      const entry = entries.get(record.id);
      if (entry) entry.record = record;
    }
  });

  const get = (id: string): Entry => {
    const entry = entries.get(id);
    if (!entry) throw new ApiError('not_found', { resource: 'automation' });
    return entry;
  };

  const view = (id: string): Automation => {
    const { record, loop } = get(id);
    return automationView(record, loop.status, { ledger: ledger.counts(id), questions: questions.open(id) });
  };

  const tell = (id: string): void => {
    const entry = entries.get(id);
    if (!entry) return;
    const automation = view(id);
    const { last_run_at: _run, next_scan_at: _scan, ...lasting } = automation;
    const text = JSON.stringify(lasting);
    if (text === entry.lastShown) return;
    entry.lastShown = text;
    emit({ type: 'automation.changed', automation });
  };

  const add = (record: AutomationRecord, after: Promise<void> | null = null): Entry => {
    const { id } = record;
    const loop = createLoop({
      after,
      record: () => get(id).record,
      work: workFor(record, { id, record: () => get(id).record, wake: () => entries.get(id)?.loop.wake() }),
      clock,
      random,
      log,
      changed(passEnded) {
        const entry = entries.get(id);
        if (!entry) return;
        try {
          if (!passEnded) return;
          const at = clock.now();
          entry.record = { ...entry.record, lastRunAt: at };
          store.writer.write(() => records.ran(id, at));
        } finally {
          // Also that its own state cannot be written.
          tell(id);
        }
      },
    });
    const entry: Entry = { record, loop, lastShown: '' };
    entries.set(id, entry);
    return entry;
  };

  const activate = ({ record, loop }: Entry): void => {
    if (started && record.fields.active) void loop.setActive(true);
  };

  for (const record of records.all()) add(record);

  return {
    all: () => [...entries.values()].map(({ record }) => record),
    record: (id) => get(id).record,
    view,
    replace(record) {
      get(record.id).record = record;
    },
    async restart(record) {
      const before = entries.get(record.id)?.loop;
      await before?.close();
      activate(add(record, before?.leftBehind));
      tell(record.id);
    },
    stop: (id) => get(id).loop.close(),
    async remove(id) {
      await get(id).loop.close();
      entries.delete(id);
      emit({ type: 'automation.removed', automation_id: id });
    },
    wake: (id) => get(id).loop.wake(),
    changed: tell,
    heard(happening) {
      if (happening.type === 'sessions.changed') {
        for (const { loop } of entries.values()) if (loop.status.message !== '') loop.wake();
      }
      if (happening.type !== 'transfer.changed') return;
      const { automation_id: id, state } = happening.transfer;
      if (id !== undefined && (state === 'complete' || state === 'error' || state === 'cancelled')) entries.get(id)?.loop.wake();
    },
    begin() {
      started = true;
      for (const entry of entries.values()) activate(entry);
    },
    async close() {
      started = false;
      await Promise.all([...entries.values()].map(({ loop }) => loop.close()));
    },
  };
}
