import { createContext, useContext } from 'react';
import { useLocale } from '../messages/locale.ts';
import { useLetterKeys } from '../settings/letter-keys.ts';

/** Opens the list of keyboard shortcuts, for people who do not know the `?` key. */
export function KeysButton() {
  const { about } = useLocale().messages;
  const keys = useKeys();
  const letters = useLetterKeys();
  return (
    <button type="button" className="button" onClick={keys.show}>
      {about.keys.show} {letters ? <kbd>?</kbd> : null}
    </button>
  );
}

/** The list of keyboard shortcuts, which can be opened from anywhere. */
export const KeysContext = createContext<{ show(): void }>({ show: () => undefined });
const useKeys = () => useContext(KeysContext);
