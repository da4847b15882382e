import type { Log } from '../../log.ts';
import type { ApiWatch } from './api-watch.ts';
import type { ApiReport, ApiWindow } from './next-share.ts';
import type { ReportsFolder } from './reports-folder.ts';

const busyMilliseconds = 1_000;
/** While nothing is transferred, so that the first transfer knows whether anybody calls. */
const restMilliseconds = 10_000;
/** APIs tell once a second; who has not for this long does not tell in time. */
const freshMilliseconds = 3_000;
/** At rest they tell every eleven seconds; who has not for this long is gone. */
const knownMilliseconds = 15_000;

/** Watches the APIs of all processes on this machine, by what they tell in the folder, and tells them there that it is busy. */
export function watchReports(folder: ReportsFolder, log: Log): ApiWatch {
  let tell: ((reports: readonly ApiReport[]) => void) | null = null;
  let isBusy = false;
  let calls = 0;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    try {
      if (isBusy) await folder.tell('transfers', {});
      const told = (await folder.read('api')).filter(({ age }) => age <= knownMilliseconds);
      const known = told.flatMap(({ age, facts }) => (isReport(facts) ? [{ age, ...facts }] : []));
      calls = Math.max(0, ...known.map(({ window }) => window.calls));
      tell?.(known.map(({ age, window, rest }) => ({ window: age <= freshMilliseconds ? window : null, rest })));
    } catch (error) {
      log.warn({ err: error, onceAMinute: 'reports' }, 'transfers do not know how late the API is, so they do not yield to its callers');
    }
  }

  function again(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void look().then(() => tell && again()), isBusy ? busyMilliseconds : restMilliseconds);
    timer.unref();
  }

  return {
    start(teller) {
      tell = teller;
      void look();
      again();
    },
    stop() {
      tell = null;
      clearTimeout(timer);
      void folder.forget('transfers');
    },
    setBusy(next) {
      isBusy = next;
      if (!tell) return;
      if (isBusy) void look();
      again();
    },
    calls: () => calls,
  };
}

/** What `reportApi` tells. */
interface ToldReport {
  readonly window: ApiWindow;
  readonly rest: number | null;
}

function isReport(facts: unknown): facts is ToldReport {
  const { window, rest } = (facts ?? {}) as Partial<ToldReport>;
  return typeof window?.delay === 'number' && typeof window.calls === 'number' && (rest === null || typeof rest === 'number');
}
