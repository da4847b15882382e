import { useId } from 'react';
import type { TermsOfService } from '#protocol/hosted/portals.ts';
import { FieldNotes } from '../../common/field.tsx';
import { useFormat } from '../../messages/portal.ts';

interface TermsProps {
  readonly terms: TermsOfService;
  readonly agreed: boolean;
  readonly problem: string | null;
  readonly onAgree: (agreed: boolean) => void;
}

export function Terms({ terms, agreed, problem, onAgree }: TermsProps) {
  const { messages } = useFormat();
  const id = useId();
  return (
    <section className="portal-part" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} dir="auto">
        {terms.title || messages.terms.fallback}
      </h2>
      {terms.description ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <section className="terms-text" dir="auto" aria-label={terms.checkbox_label || messages.terms.fallback} tabIndex={0}>
          {terms.description}
        </section>
      ) : null}
      {terms.checkbox_url ? (
        <a href={terms.checkbox_url} target="_blank" rel="noreferrer noopener">
          {messages.terms.read} <span className="visually-hidden">{messages.terms.newTab}</span>
        </a>
      ) : null}
      <div className="field">
        <label className="check" dir="auto">
          <input
            type="checkbox"
            checked={agreed}
            aria-required
            aria-invalid={problem ? true : undefined}
            aria-describedby={problem ? `${id}-problem` : undefined}
            onChange={(event) => onAgree(event.target.checked)}
          />
          {terms.checkbox_label || messages.terms.agree}
        </label>
        <FieldNotes id={id} problem={problem} />
      </div>
    </section>
  );
}
