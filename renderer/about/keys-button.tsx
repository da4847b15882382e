import { useLetterKeys } from '../settings/letter-keys.ts';
import { useKeys } from './keys-context.ts';
import { useAboutTexts } from './texts.ts';

/** Opens the list of keyboard shortcuts, for people who do not know the `?` key. */
export function KeysButton() {
  const about = useAboutTexts();
  const keys = useKeys();
  const letters = useLetterKeys();
  return (
    <button type="button" className="button" onClick={keys.show}>
      {about.keys.show} {letters ? <kbd>?</kbd> : null}
    </button>
  );
}
