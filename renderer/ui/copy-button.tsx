import { useEffect, useRef } from 'react';
import { CheckIcon, LinkIcon } from '#ui/icons.tsx';
import { useCopy } from '#ui/use-copy.ts';
import { useLocale } from '../messages/locale.ts';

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly about: string;
  readonly tabIndex?: number;
}

/** Copies a text. Where the browser does not allow that (a page over plain HTTP), shows it selected to be copied by hand. */
export function CopyButton({ text, label, about, tabIndex }: CopyButtonProps) {
  const { copy: messages } = useLocale().messages.transfers;
  const [state, copy] = useCopy(text);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (state === 'manual') input.current?.select();
  }, [state]);

  if (state === 'manual') {
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
