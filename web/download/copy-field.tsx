import { useEffect, useState } from 'react';
import { CheckIcon, CopyIcon } from '#ui/icons.tsx';
import { useFormat } from '../messages/download.ts';

interface CopyFieldProps {
  /** The text to copy. */
  readonly text: string;
  /** Labels of the field and of the button. */
  readonly label: string;
  readonly copyLabel: string;
}

/** Milliseconds. */
const shownFor = 3_000;

/**
 * A line of text with a copy button. If the browser cannot copy, the line is selected so that the person can copy it.
 */
export function CopyField({ text, label, copyLabel }: CopyFieldProps) {
  const { messages } = useFormat();
  const [state, setState] = useState<'idle' | 'copied' | 'selected'>('idle');
  useEffect(() => {
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState('idle'), shownFor);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (field: HTMLInputElement | null): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      field?.select();
      setState('selected');
    }
  };
  return (
    <span className="copy">
      <input className="input mono" dir="ltr" readOnly aria-label={label} value={text} onFocus={(event) => event.target.select()} />
      <button
        type="button"
        className="button button-small"
        aria-label={copyLabel}
        onClick={(event) => copy(event.currentTarget.parentElement!.querySelector('input'))}
      >
        {state === 'copied' ? <CheckIcon /> : <CopyIcon />} {state === 'copied' ? messages.ways.copied : messages.ways.copy}
      </button>
      <span className="hint copy-note" role="status">
        {state === 'selected' ? (
          messages.ways.notCopied
        ) : state === 'copied' ? (
          <span className="visually-hidden">{messages.ways.copied}</span>
        ) : (
          ''
        )}
      </span>
    </span>
  );
}
