import type { Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import { SelectField } from '../ui/field.tsx';
import { catalogues, useTongue } from '../words/words.ts';

export interface SettingsPartProps {
  readonly settings: Settings;
  readonly onChange: (change: UpdateSettings) => void;
}

/** Theme and language of the page. */
export function LookSettings({ settings, onChange }: SettingsPartProps) {
  const { look } = useTongue().words.settings;
  return (
    <section className="card settings-part" aria-labelledby="look-heading">
      <h2 id="look-heading">{look.title}</h2>
      <SelectField
        label={look.appearance}
        value={settings.appearance}
        onChange={(event) => onChange({ appearance: event.target.value as Settings['appearance'] })}
      >
        <option value="system">{look.system}</option>
        <option value="light">{look.light}</option>
        <option value="dark">{look.dark}</option>
      </SelectField>
      <SelectField label={look.language} value={settings.language} onChange={(event) => onChange({ language: event.target.value })}>
        <option value="">{look.systemLanguage}</option>
        {Object.entries(catalogues).map(([code, one]) => (
          <option key={code} value={code} lang={code}>
            {one.language}
          </option>
        ))}
      </SelectField>
    </section>
  );
}
