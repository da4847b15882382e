import { useState } from 'react';
import { isEmailAddress } from '#protocol/email.ts';
import { limits } from '#protocol/limits.ts';
import { TextAreaField } from '#ui/field.tsx';
import { useLocale } from '../../messages/locale.ts';
import { addressesOf, RecipientsField } from '../../send/recipients-field.tsx';
import type { TeamChoice } from '../../send/team-choice.ts';
import type { EditorPartProps } from './editor-part.ts';
import { TeamField } from './team-field.tsx';
import { useEditorTexts } from './texts.ts';

/** The Team, and the people who get a link to each package. */
export function TeamTarget({ draft, onChange, errorOf, teams }: EditorPartProps & { readonly teams: readonly TeamChoice[] }) {
  const { messages } = useLocale();
  const { to: texts } = useEditorTexts();
  const [typed, setTyped] = useState('');
  const wrong = addressesOf(typed).find((address) => !isEmailAddress(address));
  return (
    <section className="card settings-part" aria-labelledby="editor-to">
      <h2 id="editor-to">{texts.title}</h2>
      <TeamField draft={draft} onChange={onChange} errorOf={errorOf} teams={teams} />
      <RecipientsField
        optional
        chosen={draft.recipients}
        onChosen={(recipients) => onChange({ recipients })}
        typed={typed}
        onTyped={setTyped}
        error={wrong && /[\s,;]$|\..+/.test(typed) ? messages.send.recipientBad(wrong) : errorOf('recipients')}
      />
      <TextAreaField
        label={texts.description}
        aside={messages.send.form.optional}
        rows={2}
        maxLength={limits.textLength}
        value={draft.packageDescription}
        onChange={(event) => onChange({ packageDescription: event.target.value })}
        error={errorOf('packageDescription')}
      />
    </section>
  );
}
