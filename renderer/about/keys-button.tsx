import { useTongue } from '../words/words.ts';
import { useKeys } from './keys-context.ts';

/** Opens the list of keys for whoever does not know of `?`. */
export function KeysButton() {
  const { about } = useTongue().words;
  const keys = useKeys();
  return (
    <button type="button" className="button" onClick={keys.show}>
      {about.keys.show} <kbd>?</kbd>
    </button>
  );
}
