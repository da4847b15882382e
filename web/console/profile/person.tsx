import { type FormEvent, useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { type Language, languageNames, languages } from '#ui/locale.ts';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/profile.ts';
import { en } from '../../messages/en/console/profile.ts';
import { useAccount } from '../app/account.ts';
import { chooseLanguage } from '../app/preferences.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { useProfileActions } from './actions.ts';

/** Name, language, time zone, and the Team to begin with. */
export function Person() {
  const { messages, language } = useTexts({ en, de });
  const { save: saveLabel } = useShellTexts().messages;
  const text = messages.person;
  const { user, teams } = useAccount();
  const actions = useProfileActions();
  const toast = useToast();
  const fault = useFaultText();
  const [name, setName] = useState(user.name);
  const [timeZone, setTimeZone] = useState(user.time_zone);
  const [teamId, setTeamId] = useState(user.preferred_team_id);
  const [error, setError] = useState<unknown>(null);
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const isNameMissing = name.trim() === '';
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setChecked(true);
    if (isNameMissing || busy) return;
    setBusy(true);
    setError(null);
    try {
      await actions.save({ name: name.trim(), time_zone: timeZone, language, ...(teamId === '' ? {} : { preferred_team_id: teamId }) });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.person.saved) });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  // The one that is stored may be none of this browser's.
  const zones = [...new Set([timeZone, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <section className="panel">
      <h2>{text.title}</h2>
      <form className="form" noValidate aria-busy={busy} onSubmit={(event) => void save(event)}>
        <TextField
          label={text.name}
          autoComplete="name"
          maxLength={limits.nameLength}
          value={name}
          error={checked && isNameMissing ? text.nameMissing : null}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField label={text.timeZone} value={timeZone} onChange={(event) => setTimeZone(event.target.value)}>
          {zones.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </SelectField>
        {teams.length > 1 ? (
          <SelectField label={text.team} value={teamId} onChange={(event) => setTeamId(event.target.value)}>
            {teams.map((team) => (
              <option key={team.id} value={team.id}>
                {team.name}
              </option>
            ))}
          </SelectField>
        ) : null}
        <SelectField label={text.language} value={language} onChange={(event) => chooseLanguage(event.target.value as Language)}>
          {languages.map((code) => (
            <option key={code} value={code} lang={code}>
              {languageNames[code]}
            </option>
          ))}
        </SelectField>
        {error === null ? null : <Notice tone="bad">{fault(error)}</Notice>}
        <button type="submit" className="button button-primary" disabled={busy}>
          {saveLabel}
        </button>
      </form>
    </section>
  );
}
