import { type ReactNode, useId, useRef, useState } from 'react';
import { mailLanguages } from '#protocol/mail-languages.ts';
import { CheckField, SelectField, TextField } from '#ui/field.tsx';
import { languageNames } from '#ui/locale.ts';
import { de } from '../../messages/de/console/team.ts';
import { en } from '../../messages/en/console/team.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { teamCalls } from './calls.ts';
import type { Draft, PartProps } from './draft.ts';

/** How the Team's public pages and mails look, where a Portal has nothing of its own. */
export function Branding({ draft, set, errorOf }: PartProps) {
  const { messages } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  return (
    <section className="panel">
      <div>
        <h2>{messages.branding}</h2>
        <p className="hint">{messages.brandingText}</p>
      </div>
      <TextField
        label={messages.name}
        value={draft.name}
        error={errorOf('name')}
        maxLength={255}
        onChange={({ target }) => set({ name: target.value })}
      />
      <div className="team-pictures">
        <Picture label={messages.logo} address={draft.logo_url} error={errorOf('logo_url')} onChange={(logo_url) => set({ logo_url })} />
        <Picture
          label={messages.background}
          address={draft.background_url}
          error={errorOf('background_url')}
          onChange={(background_url) => set({ background_url })}
        />
      </div>
      <div className="team-pair">
        <CheckField
          label={messages.ownColour}
          checked={draft.primary_color !== ''}
          onChange={({ target }) => set({ primary_color: target.checked ? '#0b6b74' : '' })}
        />
        {draft.primary_color === '' ? null : (
          <TextField
            label={messages.colour}
            type="color"
            value={draft.primary_color}
            onChange={({ target }) => set({ primary_color: target.value })}
          />
        )}
      </div>
      <div className="team-pair">
        <TextField
          label={messages.imprint}
          aside={shell.optional}
          hint={messages.imprintHint}
          type="url"
          placeholder="https://example.com/imprint"
          value={draft.imprint_url}
          error={errorOf('imprint_url')}
          onChange={({ target }) => set({ imprint_url: target.value.trim() })}
        />
        <TextField
          label={messages.privacy}
          aside={shell.optional}
          type="url"
          placeholder="https://example.com/privacy"
          value={draft.privacy_url}
          error={errorOf('privacy_url')}
          onChange={({ target }) => set({ privacy_url: target.value.trim() })}
        />
      </div>
      <SelectField
        label={messages.mailLanguage}
        hint={messages.mailLanguageHint}
        value={draft.mail_language}
        onChange={({ target }) => set({ mail_language: target.value as Draft['mail_language'] })}
      >
        <option value="">{messages.mailLanguageOfBrowser}</option>
        {mailLanguages.map((code) => (
          <option key={code} value={code} lang={code}>
            {languageNames[code]}
          </option>
        ))}
      </SelectField>
    </section>
  );
}

interface PictureProps {
  readonly label: string;
  readonly address: string;
  readonly error: string | null;
  readonly onChange: (address: string) => void;
}

/** A picture that is uploaded at once, and used when the form is saved. */
function Picture({ label, address, error, onChange }: PictureProps) {
  const { messages } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  const team = useTeam();
  const api = useApi(teamCalls);
  const fault = useFaultText();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactNode>(null);
  const upload = async (file: File): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const { url } = await api.call('createImage', { params: { team_id: team.id }, body: { data: await base64Of(file) } });
      onChange(url);
    } catch (thrown) {
      setProblem(fault(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="field team-picture" aria-busy={busy}>
      <span id={id} className="team-label">
        {label}
      </span>
      {address === '' ? <span className="team-no-picture hint">{messages.noPicture}</span> : <img src={address} alt={label} />}
      <span className="team-acts">
        <button type="button" className="button button-small" aria-describedby={id} disabled={busy} onClick={() => input.current?.click()}>
          {messages.upload}
        </button>
        {address === '' ? null : (
          <button type="button" className="button button-small" aria-describedby={id} onClick={() => onChange('')}>
            {shell.remove}
          </button>
        )}
      </span>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = '';
          if (file) void upload(file);
        }}
      />
      {(problem ?? error) ? (
        <p className="field-error" role="alert">
          {problem ?? error}
        </p>
      ) : null}
    </div>
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}
