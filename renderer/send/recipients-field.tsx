import { useQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { isEmailAddress } from '#protocol/email.ts';
import { CloseIcon } from '#ui/icons.tsx';
import { useApp } from '../app/context.ts';
import { useLocale } from '../messages/locale.ts';

interface RecipientsFieldProps {
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly error: string | null;
  readonly optional?: boolean;
}

/** E-mail addresses as chips. Earlier recipients are suggested while typing. */
export function RecipientsField({ chosen, onChosen, typed, onTyped, error, optional = false }: RecipientsFieldProps) {
  const { messages } = useLocale();
  const { send } = messages;
  const id = useId();
  const known = useKnownRecipients();
  const take = (text: string) => {
    const added = addressesOf(text);
    onChosen([...new Set([...chosen, ...added.filter(isEmailAddress)])]);
    onTyped(added.filter((one) => !isEmailAddress(one)).join(' '));
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {send.recipients}
        {optional ? <span className="optional"> {messages.send.form.optional}</span> : null}
      </label>
      <div className="chips">
        {chosen.length > 0 ? (
          <ul className="chips-list">
            {chosen.map((address) => (
              <li key={address} className="chip">
                <span>{address}</span>
                <button
                  type="button"
                  onClick={() => onChosen(chosen.filter((one) => one !== address))}
                  aria-label={send.removeRecipient(address)}
                >
                  <CloseIcon />
                </button>
              </li>
            ))}
          </ul>
        ) : null}
        <input
          id={id}
          className="input"
          inputMode="email"
          autoComplete="off"
          list={`${id}-known`}
          value={typed}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-notes`}
          onChange={(event) => {
            const { value } = event.target;
            // A chosen suggestion, or a separator after an address.
            if (known.includes(value) || /[\s,;]$/.test(value)) take(value);
            else onTyped(value);
          }}
          onBlur={() => take(typed)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && typed.trim() !== '') {
              event.preventDefault();
              take(typed);
            }
            if (event.key === 'Backspace' && typed === '') onChosen(chosen.slice(0, -1));
          }}
        />
      </div>
      <datalist id={`${id}-known`}>
        {known
          .filter((address) => !chosen.includes(address))
          .map((address) => (
            <option key={address} value={address} />
          ))}
      </datalist>
      <div id={`${id}-notes`}>
        {error ? <p className="field-error">{error}</p> : null}
        <p className="hint">{send.recipientsHint}</p>
      </div>
    </div>
  );
}

const lookedAt = 200;

/** Recipients of the last uploads. They are read from the agent, so nothing is stored in the browser. */
function useKnownRecipients(): readonly string[] {
  const { client } = useApp();
  const { data } = useQuery({
    queryKey: ['recipients'],
    queryFn: ({ signal }) => client.call('listUploads', { query: { sort: '-created_at', limit: lookedAt }, signal }),
    staleTime: 0,
  });
  return useMemo(() => {
    const addresses = data?.records.flatMap(({ links }) => links.map(({ email }) => email)) ?? [];
    return [...new Set(addresses.filter((email) => email !== ''))];
  }, [data]);
}

/** E-mail addresses, separated by commas, semicolons, spaces or lines, without duplicates. */
export function addressesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((value) => value !== ''))];
}
