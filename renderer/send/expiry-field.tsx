import type { AgentTeam } from '#protocol/agent/session.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { useFormat } from '../messages/format.ts';
import { type Expiry, offeredDays } from './expiry.ts';

interface ExpiryFieldProps {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
  readonly team: AgentTeam | null;
  readonly error: string | null;
}

/** How long the package can be downloaded. */
export function ExpiryField({ value, onChange, team, error }: ExpiryFieldProps) {
  const { messages, number } = useFormat();
  const { expiry: texts } = messages.send;
  const usual = team?.custom_expiry_enabled ? team.custom_expiry_default : 0;
  const choose = (chosen: string) => {
    if (chosen === 'team' || chosen === 'never') onChange({ kind: chosen });
    else if (chosen === 'date') onChange({ kind: 'date', day: '' });
    else onChange({ kind: 'days', days: Number(chosen) });
  };
  return (
    <>
      <SelectField
        label={texts.label}
        value={value.kind === 'days' ? value.days : value.kind}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="team">{usual > 0 ? texts.teamDays(number(usual), usual === 1) : texts.team}</option>
        {offeredDays.map((days) => (
          <option key={days} value={days}>
            {texts.days(number(days), days === 1)}
          </option>
        ))}
        <option value="date">{texts.date}</option>
        <option value="never">{texts.never}</option>
      </SelectField>
      {value.kind === 'date' ? (
        <TextField
          label={texts.until}
          type="date"
          required
          value={value.day}
          onChange={(event) => onChange({ kind: 'date', day: event.target.value })}
          error={error}
        />
      ) : null}
    </>
  );
}
