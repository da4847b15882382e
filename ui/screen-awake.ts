import { useEffect } from 'react';

/** The parts of the Screen Wake Lock API that are used. Browsers have it on secure pages only. */
interface WakeLocks {
  request(type: 'screen'): Promise<{ release(): Promise<void> }>;
}

interface ScreenPorts {
  readonly wakeLock: WakeLocks | undefined;
  readonly document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>;
}

const ofThisPage = (): ScreenPorts => ({ wakeLock: navigator.wakeLock, document });

/**
 * Keeps the screen on until the returned function is called. A browser releases the lock whenever the page is hidden, so
 * it is requested again when the page is visible. Without the API, or where it is refused (a low battery), nothing happens.
 */
export function keepScreenAwake({ wakeLock, document }: ScreenPorts = ofThisPage()): () => void {
  if (!wakeLock) return () => undefined;
  let ended = false;
  let release = (): void => undefined;
  const request = async (): Promise<void> => {
    if (document.visibilityState !== 'visible') return;
    release();
    const lock = await wakeLock.request('screen').catch(() => null);
    if (!lock) return;
    const free = (): void => void lock.release().catch(() => undefined);
    if (ended) free();
    else release = free;
  };
  const onChange = (): void => void request();
  document.addEventListener('visibilitychange', onChange);
  onChange();
  return () => {
    ended = true;
    document.removeEventListener('visibilitychange', onChange);
    release();
  };
}

/** Keeps the screen on while `wanted` is true and the component is mounted. */
export function useScreenAwake(wanted: boolean): void {
  useEffect(() => (wanted ? keepScreenAwake() : undefined), [wanted]);
}
