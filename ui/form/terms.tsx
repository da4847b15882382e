import { useId } from 'react';
import type { TermsOfService } from '#protocol/hosted/portals.ts';
import { CheckField } from '../field.tsx';
import type { FormMessages } from './form-fields.tsx';

interface TermsProps {
  readonly terms: TermsOfService;
  readonly agreed: boolean;
  readonly onAgree: (agreed: boolean) => void;
  readonly error: string | null;
  readonly messages: FormMessages['terms'];
  readonly heading: 'h2' | 'h3';
}

/**
 * A Portal's terms with a checkbox. They are untrusted: shown as text, and their address is a link only if it is a web
 * address.
 */
export function Terms({ terms, agreed, onAgree, error, messages, heading: Heading }: TermsProps) {
  const id = useId();
  return (
    <div className="portal-part">
      <Heading id={id} dir="auto">
        {terms.title || messages.title}
      </Heading>
      {terms.description ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <section className="terms-text" dir="auto" aria-labelledby={id} tabIndex={0}>
          {terms.description}
        </section>
      ) : null}
      {/^https?:\/\//i.test(terms.checkbox_url) ? (
        <a href={terms.checkbox_url} target="_blank" rel="noreferrer noopener">
          {messages.read} <span className="visually-hidden">{messages.newTab}</span>
        </a>
      ) : null}
      <CheckField
        label={terms.checkbox_label || messages.agree}
        error={error}
        checked={agreed}
        aria-required
        onChange={(event) => onAgree(event.target.checked)}
      />
    </div>
  );
}
