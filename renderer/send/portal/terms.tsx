import { useId } from 'react';
import type { TermsOfService } from '#protocol/hosted/portals.ts';
import { useLocale } from '../../messages/locale.ts';

interface TermsProps {
  readonly terms: TermsOfService;
  readonly agreed: boolean;
  readonly onAgree: (agreed: boolean) => void;
  readonly error: string | null;
}

/**
 * A Portal's terms with a checkbox. They are untrusted: shown as text, and their address is opened only if it is a web
 * address.
 */
export function Terms({ terms, agreed, onAgree, error }: TermsProps) {
  const { portal: messages } = useLocale().messages.send;
  const id = useId();
  return (
    <div className="portal-part">
      <h3 id={`${id}-title`} dir="auto">
        {terms.title || messages.terms}
      </h3>
      {terms.description ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <section className="terms-text" dir="auto" aria-labelledby={`${id}-title`} tabIndex={0}>
          {terms.description}
        </section>
      ) : null}
      {/^https?:\/\//i.test(terms.checkbox_url) ? (
        <a href={terms.checkbox_url} target="_blank" rel="noreferrer noopener">
          {messages.termsRead} <span className="visually-hidden">{messages.termsTab}</span>
        </a>
      ) : null}
      <label className="check" dir="auto">
        <input
          type="checkbox"
          checked={agreed}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={(event) => onAgree(event.target.checked)}
        />
        <span>{terms.checkbox_label || messages.agree}</span>
      </label>
      {error ? (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      ) : null}
    </div>
  );
}
