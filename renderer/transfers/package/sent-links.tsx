import { useState } from 'react';
import type { SentLink, SentPackage } from '#protocol/agent/sent-package.ts';
import { hasPassed } from '#ui/has-passed.ts';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { type Format, useFormat } from '../../messages/format.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import type { useSentPackageActions } from './queries.ts';
import { type SentPackageTexts, useSentPackageTexts } from './texts.ts';

interface SentLinksProps {
  readonly sent: SentPackage;
  readonly onEnd: ReturnType<typeof useSentPackageActions>['endLink'];
  readonly onMail: ReturnType<typeof useSentPackageActions>['mailLink'];
  readonly onMailed: (whom: string) => void;
}

const unset = '0001-01-01T00:00:00.000Z';

/** The links of a sent package: for whom, what became of each, and what can be done with it. */
export function SentLinks({ sent, onEnd, onMail, onMailed }: SentLinksProps) {
  const format = useFormat();
  const fault = useFaultText();
  const { links: texts } = useSentPackageTexts();
  /** The link that the person is asked about. */
  const [ending, setEnding] = useState<string | null>(null);
  const whom = ({ email }: SentLink): string => email || texts.anyone;
  if (sent.links.length === 0) return <p className="hint">{texts.none}</p>;
  return (
    <>
      {onEnd.error ? <Notice tone="bad">{fault(onEnd.error)}</Notice> : null}
      {onMail.error ? <Notice tone="bad">{fault(onMail.error)}</Notice> : null}
      <ul className="sent-links">
        {sent.links.map((link) => (
          <li key={link.id} className={link.active ? 'sent-link' : 'sent-link sent-link-over'}>
            <div className="sent-link-text">
              <p className="sent-link-whom" dir="auto">
                {whom(link)}
              </p>
              <p className="hint">{factsOf(link, format, texts).join(' · ')}</p>
            </div>
            {link.active ? (
              <div className="panel-acts">
                <CopyButton text={link.url} label={texts.copy} about={texts.of(whom(link))} />
                {sent.can_mail && link.email !== '' ? (
                  <button
                    type="button"
                    className="button button-small"
                    disabled={onMail.isPending}
                    aria-label={texts.mailOf(link.email)}
                    onClick={() => onMail.mutate(link.id, { onSuccess: () => onMailed(link.email) })}
                  >
                    {texts.mail}
                  </button>
                ) : null}
                {ending === link.id ? null : (
                  <button
                    type="button"
                    className="button button-small"
                    aria-label={texts.endOf(whom(link))}
                    onClick={() => setEnding(link.id)}
                  >
                    {texts.end}
                  </button>
                )}
              </div>
            ) : null}
            {ending === link.id ? (
              <div className="sent-link-end" role="alert">
                <p>{texts.sure(whom(link))}</p>
                <div className="panel-acts">
                  <button
                    type="button"
                    className="button button-small button-danger"
                    disabled={onEnd.isPending}
                    onClick={() => onEnd.mutate(link.id, { onSettled: () => setEnding(null) })}
                  >
                    {texts.endNow}
                  </button>
                  <button type="button" className="button button-small" onClick={() => setEnding(null)}>
                    {texts.keep}
                  </button>
                </div>
              </div>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function factsOf(
  { active, expiry, downloads, last_download_at: last, has_password, verify_recipient: verify, access_limit: limit }: SentLink,
  format: Format,
  texts: SentPackageTexts['links'],
): string[] {
  const facts: string[] = [];
  if (!active) facts.push(texts.over);
  else if (hasPassed(expiry)) facts.push(texts.timeOver);
  if (downloads !== undefined) {
    const when = last && last !== unset ? format.moment(last) : '';
    facts.push(downloads === 0 ? texts.notYet : texts.downloads(format.number(downloads), downloads === 1, when));
  }
  if (limit > 0) facts.push(texts.limit(format.number(limit)));
  if (has_password) facts.push(texts.password);
  if (verify) facts.push(texts.asksCode);
  return facts.length > 0 ? facts : [texts.stands];
}
