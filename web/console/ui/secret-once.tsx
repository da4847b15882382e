import { ModalDialog } from '#ui/dialog.tsx';
import { useShellTexts } from '../app/texts.ts';
import { CopyButton } from './copy-button.tsx';
import './rows.css';

interface SecretOnceProps {
  readonly title: string;
  /** That it is shown this once. */
  readonly text: string;
  /** What it is called. */
  readonly label: string;
  readonly copyLabel: string;
  readonly secret: string;
  /** What it is used for. */
  readonly use?: string;
  readonly done: string;
  readonly onClose: () => void;
}

/** Shows a secret that nobody can see again. It closes by its button alone, so that no slip of a key loses the secret. */
export function SecretOnce({ title, text, label, copyLabel, secret, use, done, onClose }: SecretOnceProps) {
  const { messages } = useShellTexts();
  return (
    <ModalDialog title={title} closeLabel={messages.close} closeDisabled onLeave={() => undefined}>
      <div className="form">
        <p>{text}</p>
        <div className="secret">
          <input className="input mono" readOnly aria-label={label} value={secret} onFocus={(event) => event.target.select()} />
          <CopyButton text={secret} label={copyLabel} />
        </div>
        {use ? <p className="hint">{use}</p> : null}
        <div className="dialog-actions">
          <button type="button" className="button button-primary" onClick={onClose}>
            {done}
          </button>
        </div>
      </div>
    </ModalDialog>
  );
}
