import { keepScreenAwake } from '#ui/screen-awake.ts';
import { takeLock } from '../common/locks.ts';
import { lockOf, type PackageToSend } from './package-to-send.ts';
import { createSending, type Sending } from './sending.ts';
import { shared } from './shared.ts';
import type { SendingEnvironment } from './view/environment.ts';

/** The sending of a package, with what this page has in common for all of them. Not started. */
export function sendingOf({ api, fetcher, store }: SendingEnvironment, { stored, items }: PackageToSend): Sending {
  return createSending(
    {
      api: api.as({ kind: 'package', token: stored.token }),
      fetcher,
      store,
      ...shared,
      random: Math.random,
      now: () => performance.now(),
      every(milliseconds, work) {
        const timer = setInterval(work, milliseconds);
        return () => clearInterval(timer);
      },
    },
    stored.id,
    items,
  );
}

/** Sends until the returned function is called: under a lock against other tabs, with an eye on the connection, and with the screen on while bytes move. */
export function keepSending(sending: Sending, locks: LockManager | undefined): () => void {
  let stopped = false;
  let own: (() => void) | null = null;
  void takeLock(lockOf(sending.packageId), locks).then((taken) => {
    if (stopped) taken?.();
    else own = taken;
  });
  sending.start();
  const online = (): void => sending.online(navigator.onLine);
  online();
  window.addEventListener('online', online);
  window.addEventListener('offline', online);
  const letSleep = awakeWhileMoving(sending);
  return () => {
    stopped = true;
    window.removeEventListener('online', online);
    window.removeEventListener('offline', online);
    sending.stop();
    letSleep();
    own?.();
  };
}

function awakeWhileMoving(sending: Sending): () => void {
  let release: (() => void) | null = null;
  const look = (): void => {
    const { kind } = sending.progress().phase;
    const moves = kind === 'sending' || kind === 'closing';
    if (moves) release ??= keepScreenAwake();
    else {
      release?.();
      release = null;
    }
  };
  const stop = sending.subscribe(look);
  look();
  return () => {
    stop();
    release?.();
  };
}

/** Asks before the tab is closed while a package moves. Returns how to stop asking. */
export function askBeforeUnload(): () => void {
  const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}
