import { askBeforeUnload, keepSending, sendingOf } from '../../sending/keep-sending.ts';
import type { PackageToSend } from '../../sending/package-to-send.ts';
import type { Sending } from '../../sending/sending.ts';
import type { StoredPackage } from '../../sending/store.ts';
import type { SendingEnvironment } from '../../sending/view/environment.ts';
import type { BackgroundWork } from '../app/background-work.ts';

/** A package that this tab sends, or has sent. */
export interface RunningPackage {
  readonly stored: StoredPackage;
  readonly sending: Sending;
  readonly teamId: string;
  /** Whether whoever sends it hands on a link. */
  readonly asLink: boolean;
}

/**
 * What this tab sends. It belongs to no view, so that it goes on while the person looks at others, and stops when nobody
 * is signed in any more; what was confirmed then is not sent again later.
 */
export interface RunningPackages {
  list(): readonly RunningPackage[];
  subscribe(changed: () => void): () => void;
  start(environment: SendingEnvironment, toSend: PackageToSend, of: Pick<RunningPackage, 'teamId' | 'asLink'>): void;
  /** Stops one, if it moves, and shows it no longer. */
  dismiss(packageId: string): void;
}

export function createRunningPackages(work: BackgroundWork): RunningPackages {
  const listeners = new Set<() => void>();
  const stops = new Map<string, () => void>();
  let shown: readonly RunningPackage[] = [];
  const show = (next: readonly RunningPackage[]): void => {
    shown = next;
    for (const listener of listeners) listener();
  };

  function dismiss(packageId: string): void {
    stops.get(packageId)?.();
    show(shown.filter(({ stored }) => stored.id !== packageId));
  }

  work.onEnd(() => {
    for (const { stored } of shown) dismiss(stored.id);
  });

  return {
    list: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start(environment, toSend, { teamId, asLink }) {
      const { stored, release } = toSend;
      const sending = sendingOf(environment, toSend);
      const forgetQuestion = askBeforeUnload();
      const stopListening = sending.subscribe(() => {
        const { phase, bytes, totalBytes } = sending.progress();
        if (phase.kind === 'done' || phase.kind === 'taken_over' || (phase.kind === 'failed' && !phase.retry)) stop();
        else work.report({ id: stored.id, name: stored.name, href: `/t/${teamId}/send`, share: totalBytes > 0 ? bytes / totalBytes : 0 });
      });
      const stopSending = keepSending(sending, environment.locks);
      const stop = (): void => {
        if (!stops.delete(stored.id)) return;
        stopListening();
        stopSending();
        forgetQuestion();
        release();
        work.done(stored.id);
      };
      stops.set(stored.id, stop);
      show([...shown, { stored, sending, teamId, asLink }]);
    },
    dismiss,
  };
}
