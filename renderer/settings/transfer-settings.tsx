import { useId } from 'react';
import type { Settings } from '#protocol/agent/settings.ts';
import { Choice } from '#ui/choice.tsx';
import { SelectField } from '#ui/field.tsx';
import { useLocale } from '../messages/locale.ts';
import { NumberField } from './number-field.tsx';
import type { SettingsPartProps } from './settings-part.ts';

/** Settings for concurrency, order and cleanup of transfers. */
export function TransferSettings({ settings, onChange }: SettingsPartProps) {
  const { transfers: messages } = useLocale().messages.settings;
  const id = useId();
  return (
    <section className="card settings-part" aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{messages.title}</h2>
      <div className="field">
        <span className="field-name" aria-hidden="true">
          {messages.order}
        </span>
        <Choice
          label={messages.order}
          id={id}
          value={settings.order}
          options={[
            ['shared', messages.shared],
            ['strict', messages.strict],
          ]}
          onChoose={(order) => onChange({ order })}
        />
      </div>
      {settings.order === 'shared' ? (
        <NumberField
          label={messages.atOnce}
          value={settings.max_concurrent_transfers}
          min={1}
          max={100}
          onSettle={(max_concurrent_transfers) => onChange({ max_concurrent_transfers })}
        />
      ) : null}
      <SelectField
        label={messages.collision}
        value={settings.name_collision}
        onChange={(event) => onChange({ name_collision: event.target.value as Settings['name_collision'] })}
      >
        <option value="keep_both">{messages.keep_both}</option>
        <option value="replace">{messages.replace}</option>
        <option value="skip">{messages.skip}</option>
      </SelectField>
      <NumberField
        label={messages.history}
        value={settings.history_days}
        min={0}
        max={3_650}
        hint={messages.historyHint}
        onSettle={(history_days) => onChange({ history_days })}
      />
    </section>
  );
}
