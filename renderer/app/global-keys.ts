import { useEffect } from 'react';
import { useLetterKeys } from '../settings/letter-keys.ts';
import { goTo } from './route.ts';
import type { Tasks } from './tasks.ts';

/** Whether the key is input for a text field or an open dialog, so it is not a shortcut. */
function isTaken(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea, dialog, [role="menu"], [contenteditable]') !== null;
}

/**
 * Shortcuts that work on every page route (`?` lists them: renderer/about/keys-dialog.tsx). All are single characters.
 */
export function useGlobalKeys(tasks: Tasks, showKeys: () => void): void {
  const letters = useLetterKeys();
  useEffect(() => {
    if (!letters) return;
    const actions: Readonly<Record<string, () => void>> = {
      '?': showKeys,
      s: () => tasks.send(),
      g: () => tasks.get(),
      1: () => goTo({ name: 'transfers' }),
      2: () => goTo({ name: 'history' }),
      3: () => goTo({ name: 'settings' }),
      4: () => goTo({ name: 'about' }),
      5: () => goTo({ name: 'automations' }),
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [letters, tasks, showKeys]);
}
