import { useEffect, useRef, useState } from 'react';
import { CheckIcon, LinkIcon } from '#ui/icons.tsx';
import { useLocale } from '../messages/locale.ts';

type State = 'ready' | 'copied' | 'by-hand';

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly about: string;
  readonly tabIndex?: number;
}

/** Copies a text. Where the browser does not allow that (a page over plain HTTP), shows it selected to be copied by hand. */
export function CopyButton({ text, label, about, tabIndex }: CopyButtonProps) {
  const { copy: messages } = useLocale().messages.transfers;
  const [state, setState] = useState<State>('ready');
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (state === 'by-hand') input.current?.select();
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState('ready'), 2_500);
    return () => clearTimeout(timer);
  }, [state]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('by-hand');
    }
  };

  if (state === 'by-hand') {
    return <input ref={input} className="input copy-by-hand" readOnly value={text} aria-label={messages.byHand(label, about)} />;
  }
  return (
    <button type="button" className="button button-small" tabIndex={tabIndex} onClick={copy}>
      {state === 'copied' ? <CheckIcon /> : <LinkIcon />}
      <span aria-live="polite">{state === 'copied' ? messages.copied : label}</span>
      <span className="visually-hidden">{messages.of(about)}</span>
    </button>
  );
}
