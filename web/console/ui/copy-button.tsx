import { CopyIcon } from '#ui/icons.tsx';
import { useCopy } from '#ui/use-copy.ts';
import { useShellTexts } from '../app/texts.ts';

/** Copies a text. Where the browser refuses, the text is shown to be copied by hand. `label` says what is copied. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { messages } = useShellTexts();
  const [state, copy] = useCopy(text);
  if (state === 'manual') {
    return (
      <input
        className="input copy-by-hand"
        readOnly
        aria-label={messages.copyByHand}
        value={text}
        onFocus={(event) => event.target.select()}
      />
    );
  }
  return (
    <button type="button" className="button button-small" aria-label={label} onClick={() => void copy()}>
      <CopyIcon /> <span role="status">{state === 'copied' ? messages.copied : messages.copy}</span>
    </button>
  );
}
