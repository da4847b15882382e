import { useEffect } from 'react';

/** Elements in which this key undoes typing. */
const typed = 'input:not([type="checkbox"], [type="radio"]), textarea, select, dialog, [contenteditable]';

/** Ctrl+Z, or Cmd+Z, undoes the last action; `undo` returns whether there was one. */
export function useUndoKey(undo: () => boolean): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { ctrlKey, metaKey, shiftKey, altKey, key, target } = event;
      if (ctrlKey === metaKey || shiftKey || altKey || key.toLowerCase() !== 'z') return;
      if (target instanceof Element && target.closest(typed)) return;
      if (undo()) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [undo]);
}
