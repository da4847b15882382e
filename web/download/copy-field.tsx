import { useRef } from 'react';
import { CheckIcon, CopyIcon } from '#ui/icons.tsx';
import { useCopy } from '#ui/use-copy.ts';
import { useFormat } from '../messages/download.ts';

interface CopyFieldProps {
  /** The text to copy. */
  readonly text: string;
  /** Labels of the field and of the button. */
  readonly label: string;
  readonly copyLabel: string;
}

/**
 * A line of text with a copy button. If the browser cannot copy, the line is selected so that the person can copy it.
 */
export function CopyField({ text, label, copyLabel }: CopyFieldProps) {
  const { messages } = useFormat();
  const input = useRef<HTMLInputElement>(null);
  const [state, copy] = useCopy(text);
  return (
    <span className="copy">
      <input
        ref={input}
        className="input mono"
        dir="ltr"
        readOnly
        aria-label={label}
        value={text}
        onFocus={(event) => event.target.select()}
      />
      <button
        type="button"
        className="button button-small"
        aria-label={copyLabel}
        onClick={async () => (await copy()) || input.current?.select()}
      >
        {state === 'copied' ? <CheckIcon /> : <CopyIcon />}{' '}
        {state === 'copied' ? messages.otherDownloads.copied : messages.otherDownloads.copy}
      </button>
      <span className="hint copy-note" role="status">
        {state === 'manual' ? (
          messages.otherDownloads.notCopied
        ) : state === 'copied' ? (
          <span className="visually-hidden">{messages.otherDownloads.copied}</span>
        ) : (
          ''
        )}
      </span>
    </span>
  );
}
