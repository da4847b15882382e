import { useId } from 'react';
import type { Settings } from '#protocol/agent/settings.ts';
import { Choice } from '../ui/choice.tsx';
import { SelectField } from '../ui/field.tsx';
import { useTongue } from '../words/words.ts';
import { NumberField } from './number-field.tsx';
import type { SettingsPartProps } from './settings-part.ts';

/** Settings for concurrency, order and cleanup of transfers. */
export function TransferSettings({ settings, onChange }: SettingsPartProps) {
  const { transfers: words } = useTongue().words.settings;
  const id = useId();
  return (
    <section className="card settings-part" aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{words.title}</h2>
      <div className="field">
        <span className="field-name" aria-hidden="true">
          {words.order}
        </span>
        <Choice
          label={words.order}
          id={id}
          value={settings.order}
          options={[
            ['shared', words.shared],
            ['strict', words.strict],
          ]}
          onChoose={(order) => onChange({ order })}
        />
      </div>
      {settings.order === 'shared' ? (
        <NumberField
          label={words.atOnce}
          value={settings.max_concurrent_transfers}
          min={1}
          max={100}
          onSettle={(max_concurrent_transfers) => onChange({ max_concurrent_transfers })}
        />
      ) : null}
      <SelectField
        label={words.collision}
        value={settings.name_collision}
        onChange={(event) => onChange({ name_collision: event.target.value as Settings['name_collision'] })}
      >
        <option value="keep_both">{words.keep_both}</option>
        <option value="replace">{words.replace}</option>
        <option value="skip">{words.skip}</option>
      </SelectField>
      <NumberField
        label={words.history}
        value={settings.history_days}
        min={0}
        max={3_650}
        hint={words.historyHint}
        onSettle={(history_days) => onChange({ history_days })}
      />
    </section>
  );
}
