import { useId, useRef } from 'react';
import { Choice } from '#ui/choice.tsx';
import { SelectField } from '#ui/field.tsx';
import { ChevronDownIcon } from '#ui/icons.tsx';
import { initials } from '#ui/initials.ts';
import { type Language, languageNames, languages } from '#ui/locale.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { useAccount, useSignOut } from './account.ts';
import { chooseAppearance, chooseLanguage, useAppearance } from './preferences.ts';
import { useShellTexts } from './texts.ts';

/** Who is signed in, how the console looks, and the way out. */
export function AccountMenu() {
  const { messages, language } = useShellTexts();
  const { user } = useAccount();
  const signOut = useSignOut();
  const appearance = useAppearance();
  const toast = useToast();
  const fault = useFaultText();
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const text = messages.account;
  const name = user.name || user.email;
  return (
    <div className="account">
      <button type="button" className="button button-quiet account-button" popoverTarget={id}>
        <span className="badge badge-round" aria-hidden="true">
          {initials(name)}
        </span>
        <span className="account-name" dir="auto">
          {name}
        </span>
        <span className="visually-hidden">, {text.label}</span>
        <ChevronDownIcon />
      </button>
      <div id={id} ref={panel} popover="auto" className="popover account-popover">
        <p className="popover-name" dir="auto">
          {name}
        </p>
        <p className="hint">{user.email}</p>
        <SelectField label={text.language} value={language} onChange={(event) => chooseLanguage(event.target.value as Language)}>
          {languages.map((code) => (
            <option key={code} value={code} lang={code}>
              {languageNames[code]}
            </option>
          ))}
        </SelectField>
        <Choice
          label={text.appearance}
          id={`${id}-appearance`}
          value={appearance}
          options={[
            ['system', text.system],
            ['light', text.light],
            ['dark', text.dark],
          ]}
          onChoose={chooseAppearance}
        />
        <a className="button" href="/profile" onClick={() => panel.current?.hidePopover()}>
          {text.profile}
        </a>
        <a className="button" href="/profile/security" onClick={() => panel.current?.hidePopover()}>
          {text.security}
        </a>
        <button
          type="button"
          className="button"
          onClick={() => void signOut().catch((error: unknown) => toast({ text: fault(error), tone: 'bad' }))}
        >
          {text.signOut}
        </button>
      </div>
    </div>
  );
}
