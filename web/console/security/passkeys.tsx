import type { Passkey } from '#protocol/hosted/mfa.ts';
import { de } from '../../messages/de/console/security.ts';
import { en } from '../../messages/en/console/security.ts';
import { useTexts } from '../app/texts.ts';
import { passkeysWork } from './passkey.ts';

interface PasskeysProps {
  readonly passkeys: readonly Passkey[];
  readonly onAdd: () => void;
  readonly onRename: (passkey: Passkey) => void;
  readonly onRemove: (passkey: Passkey) => void;
}

export function Passkeys({ passkeys, onAdd, onRename, onRemove }: PasskeysProps) {
  const { messages, moment } = useTexts({ en, de });
  const text = messages.passkeys;
  const works = passkeysWork();
  return (
    <section className="panel security-section">
      <h2>{text.title}</h2>
      <p>{works ? text.text : text.unsupported}</p>
      {passkeys.length > 0 ? (
        <ul className="security-passkeys">
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <span className="security-passkey">
                <bdi>{passkey.name}</bdi>
                <span className="hint">
                  {text.since(moment(passkey.created_at))}
                  {passkey.last_used_at.startsWith('0001') ? '' : ` · ${text.used(moment(passkey.last_used_at))}`}
                </span>
              </span>
              <span className="row-acts">
                <button type="button" className="button button-small" onClick={() => onRename(passkey)}>
                  {text.rename}
                  <span className="visually-hidden"> {passkey.name}</span>
                </button>
                <button type="button" className="button button-small" onClick={() => onRemove(passkey)}>
                  {text.remove}
                  <span className="visually-hidden"> {passkey.name}</span>
                </button>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      <div className="security-acts">
        <button type="button" className="button" disabled={!works} onClick={onAdd}>
          {text.add}
        </button>
      </div>
    </section>
  );
}
