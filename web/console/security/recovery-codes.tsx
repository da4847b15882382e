import { ModalDialog } from '#ui/dialog.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/security.ts';
import { en } from '../../messages/en/console/security.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly account: string;
  readonly onClose: () => void;
}

/** New recovery codes. They are shown this once: the service has only their hashes. */
export function RecoveryCodes({ codes, account, onClose }: RecoveryCodesProps) {
  const { messages } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  const text = `${codes.join('\n')}\n`;
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`Longshore ${location.host}\n${account}\n\n${text}`)}`;
  return (
    <ModalDialog title={messages.recovery.title} closeLabel={shell.close} onLeave={onClose}>
      <div className="form">
        <Notice tone="warn">{messages.recovery.once}</Notice>
        <ul className="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div className="dialog-actions">
          <CopyButton text={text} label={messages.recovery.copy} />
          <a className="button button-small" href={file} download={`longshore-${location.hostname}.txt`}>
            {messages.recovery.download}
          </a>
          <button type="button" className="button button-primary" onClick={onClose}>
            {messages.recovery.kept}
          </button>
        </div>
      </div>
    </ModalDialog>
  );
}
