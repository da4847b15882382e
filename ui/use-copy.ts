import { useEffect, useState } from 'react';

/** Milliseconds for which it is said that the text was copied. */
const shownFor = 3_000;

/** `manual`: the browser refused, as on a page over plain HTTP, so the person copies it. */
type CopyState = 'ready' | 'copied' | 'manual';

/** Copies a text into the clipboard. The function says whether it could. */
export function useCopy(text: string): readonly [CopyState, () => Promise<boolean>] {
  const [state, setState] = useState<CopyState>('ready');
  useEffect(() => {
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState('ready'), shownFor);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<boolean> => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
      return true;
    } catch {
      setState('manual');
      return false;
    }
  };
  return [state, copy];
}
