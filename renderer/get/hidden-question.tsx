import { useId, useLayoutEffect, useRef } from 'react';
import { errorCatalogue, placesIn } from '#protocol/errors.ts';
import { useLocale } from '../messages/locale.ts';

interface HiddenQuestionProps {
  /** The agent's sentence. */
  readonly message: string;
  readonly onOther: () => void;
  readonly onGet: () => void;
}

/**
 * Asks before names that begin with a dot are written directly into the home folder, where programs read them as their
 * settings.
 */
export function HiddenQuestion({ message, onOther, onGet }: HiddenQuestionProps) {
  const { hidden } = useLocale().messages.get;
  const id = useId();
  const other = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => other.current?.focus(), []);
  const { folder = '', names = '' } = placesIn(errorCatalogue.hidden_names.message, message) ?? {};
  return (
    <section className="dialog-question" role="alertdialog" aria-labelledby={id}>
      <p id={id}>{hidden.question(names, folder)}</p>
      <div className="dialog-question-acts">
        <button type="button" className="button button-danger" onClick={onGet}>
          {hidden.get}
        </button>
        <button ref={other} type="button" className="button button-primary" onClick={onOther}>
          {hidden.other}
        </button>
      </div>
    </section>
  );
}
