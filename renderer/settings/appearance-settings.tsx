import { useId } from 'react';
import { Choice } from '#ui/choice.tsx';
import { SelectField } from '#ui/field.tsx';
import { languageNames, languages } from '#ui/locale.ts';
import { useLocale } from '../messages/locale.ts';
import type { SettingsPartProps } from './settings-part.ts';

/** Theme and language of the page. */
export function AppearanceSettings({ settings, onChange }: SettingsPartProps) {
  const { look } = useLocale().messages.settings;
  const id = useId();
  return (
    <section className="card settings-part" aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{look.title}</h2>
      <div className="field">
        <span className="field-name" aria-hidden="true">
          {look.appearance}
        </span>
        <Choice
          label={look.appearance}
          id={id}
          value={settings.appearance}
          options={[
            ['system', look.system],
            ['light', look.light],
            ['dark', look.dark],
          ]}
          onChoose={(appearance) => onChange({ appearance })}
        />
      </div>
      <SelectField label={look.language} value={settings.language} onChange={(event) => onChange({ language: event.target.value })}>
        <option value="">{look.systemLanguage}</option>
        {languages.map((code) => (
          <option key={code} value={code} lang={code}>
            {languageNames[code]}
          </option>
        ))}
      </SelectField>
    </section>
  );
}
