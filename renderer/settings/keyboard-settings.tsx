import { KeysButton } from '../about/keys-button.tsx';
import { useLocale } from '../messages/locale.ts';
import type { SettingsPartProps } from './settings-part.ts';

/** Settings for keyboard shortcuts. */
export function KeyboardSettings({ settings, onChange }: SettingsPartProps) {
  const { keyboard: messages } = useLocale().messages.settings;
  return (
    <section className="card settings-part" aria-labelledby="keyboard-heading">
      <h2 id="keyboard-heading">{messages.title}</h2>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.letter_keys}
          aria-describedby="letters-hint"
          onChange={(event) => onChange({ letter_keys: event.target.checked })}
        />
        <span>{messages.letters}</span>
      </label>
      <p className="hint" id="letters-hint">
        {messages.lettersHint}
      </p>
      <div>
        <KeysButton />
      </div>
    </section>
  );
}
