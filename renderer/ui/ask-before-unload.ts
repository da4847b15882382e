import { useEffect, useRef } from 'react';
import { desktopBridge } from '../desktop/bridge.ts';

/** The browser asks before it leaves or reloads the page. The desktop app's window is only hidden. */
export function useAskBeforeUnload(wouldLose: () => boolean): void {
  const ask = useRef(wouldLose);
  ask.current = wouldLose;
  useEffect(() => {
    if (desktopBridge()) return;
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (ask.current()) event.preventDefault();
    };
    window.addEventListener('beforeunload', onUnload);
    return () => window.removeEventListener('beforeunload', onUnload);
  }, []);
}
