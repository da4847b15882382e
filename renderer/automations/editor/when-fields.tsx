import { useState } from 'react';
import { CheckField, SelectField, TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useLocale } from '../../messages/locale.ts';
import { NumberField } from '../../settings/number-field.tsx';
import { asMonday, type Schedule } from '../../settings/schedule.ts';
import { WeekGrid } from '../../settings/week-grid.tsx';
import type { Draft } from './draft.ts';
import type { EditorPartProps } from './editor-part.ts';
import { sends } from './fields.ts';
import { Folded } from './folded.tsx';
import { useEditorTexts } from './texts.ts';

const night = { enabled: true, start: '20:00', end: '06:00' } as const;
/** Chosen by whoever wants certain times: every night. */
const nights: Schedule = { mon: night, tue: night, wed: night, thu: night, fri: night, sat: night, sun: night };
const priorities = ['', 'high', 'low'] as const;

/** When it sends, how long a file has to be still before, and which of several goes first. */
export function WhenFields({ draft, onChange, errorOf }: EditorPartProps) {
  const { messages } = useLocale();
  const { when: texts } = useEditorTexts();
  const { limits: limitTexts } = messages.settings;
  const [zone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { schedule } = draft;
  return (
    <Folded
      title={texts.title}
      begins={schedule !== null || draft.growing || draft.priority !== '' || draft.dueHours !== ''}
      hasError={(['settleSeconds', 'schedule', 'growing', 'growingIdleSeconds', 'dueHours'] as const).some(
        (name) => errorOf(name) !== null,
      )}
    >
      {sends(draft) ? (
        <>
          <NumberField
            label={texts.settle}
            value={draft.settleSeconds}
            min={1}
            max={86_400}
            onSettle={(settleSeconds) => onChange({ settleSeconds })}
          />
          {draft.packagePer === 'marker' ? null : (
            <CheckField
              label={texts.growing}
              hint={texts.growingHint}
              error={errorOf('growing')}
              checked={draft.growing}
              onChange={(event) => onChange({ growing: event.target.checked })}
            />
          )}
          {draft.growing && draft.packagePer !== 'marker' ? (
            <NumberField
              label={texts.growingIdle}
              value={draft.growingIdleSeconds}
              min={1}
              max={86_400}
              onSettle={(growingIdleSeconds) => onChange({ growingIdleSeconds })}
            />
          ) : null}
          <CheckField
            label={texts.scheduled}
            checked={schedule !== null}
            error={errorOf('schedule')}
            onChange={(event) => onChange({ schedule: event.target.checked ? nights : null })}
          />
          {schedule ? (
            <>
              <WeekGrid label={texts.grid} dayLabel={texts.on} schedule={schedule} onChange={(next) => onChange({ schedule: next })} />
              <div className="week-foot">
                <p className="hint">
                  {limitTexts.gridHint} {limitTexts.zone(zone)}
                </p>
                <button type="button" className="button button-small" onClick={() => onChange({ schedule: asMonday(schedule) })}>
                  {limitTexts.copy}
                </button>
              </div>
              {Object.values(schedule).some((day) => day.enabled) ? null : <Notice tone="plain">{texts.never}</Notice>}
            </>
          ) : null}
        </>
      ) : null}
      <TextField
        label={texts.due}
        aside={messages.send.form.optional}
        type="number"
        min={0}
        step="any"
        inputMode="decimal"
        value={draft.dueHours}
        onChange={(event) => onChange({ dueHours: event.target.value })}
        hint={texts.dueHint}
        error={errorOf('dueHours')}
      />
      <SelectField
        label={texts.priority}
        value={draft.priority}
        onChange={(event) => onChange({ priority: event.target.value as Draft['priority'] })}
      >
        {priorities.map((one) => (
          <option key={one} value={one}>
            {texts.priorities[one]}
          </option>
        ))}
      </SelectField>
    </Folded>
  );
}
