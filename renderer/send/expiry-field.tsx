import type { AgentTeam } from '#protocol/agent/session.ts';
import { useSpeaking } from '../messages/speaking.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { type Expiry, offeredDays } from './expiry.ts';

interface ExpiryFieldProps {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
  readonly team: AgentTeam | null;
  readonly error: string | null;
}

/** How long the package can be downloaded. */
export function ExpiryField({ value, onChange, team, error }: ExpiryFieldProps) {
  const { messages, number } = useSpeaking();
  const { expiry: say } = messages.send;
  const usual = team?.custom_expiry_enabled ? team.custom_expiry_default : 0;
  const choose = (chosen: string) => {
    if (chosen === 'team' || chosen === 'never') onChange({ kind: chosen });
    else if (chosen === 'date') onChange({ kind: 'date', day: '' });
    else onChange({ kind: 'days', days: Number(chosen) });
  };
  return (
    <>
      <SelectField
        label={say.label}
        value={value.kind === 'days' ? value.days : value.kind}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="team">{usual > 0 ? say.teamDays(number(usual), usual === 1) : say.team}</option>
        {offeredDays.map((days) => (
          <option key={days} value={days}>
            {say.days(number(days), days === 1)}
          </option>
        ))}
        <option value="date">{say.date}</option>
        <option value="never">{say.never}</option>
      </SelectField>
      {value.kind === 'date' ? (
        <TextField
          label={say.until}
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
