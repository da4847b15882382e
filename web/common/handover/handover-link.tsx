import { CheckIcon, CopyIcon } from '#ui/icons.tsx';
import type { Language } from '#ui/locale.ts';
import { useCopy } from '#ui/use-copy.ts';
import { handoverMessages } from '../../messages/handover.ts';
import { useAppLink } from '../app-link.ts';
import { GetApp } from '../get-app.tsx';
import './handover-link.css';

interface HandoverLinkProps {
  readonly link: string;
  /** Of the service. */
  readonly baseUrl: string;
  readonly language: Language;
}

/** What opens the app, and the same for one on another machine. */
export function HandoverLink({ link, baseUrl, language }: HandoverLinkProps) {
  const texts = handoverMessages[language];
  const { unanswered, downloadUrl, ask } = useAppLink(baseUrl);
  const command = `longshore continue "${link}"`;
  const [copy, copyNow] = useCopy(command);
  return (
    <>
      <p>
        <a className="button button-primary" href={link} onClick={ask}>
          {texts.open}
        </a>
      </p>
      {unanswered ? (
        <p className="notice">
          {texts.unanswered(downloadUrl !== null)}
          <GetApp downloadUrl={downloadUrl} text={texts.getApp} />
        </p>
      ) : null}
      <p className="hint">{texts.paste}</p>
      <div className="hand-over-command">
        <input
          className="input mono"
          dir="ltr"
          readOnly
          aria-label={texts.command}
          value={command}
          onFocus={(event) => event.target.select()}
        />
        <button type="button" className="button button-small" aria-label={texts.copy} onClick={() => void copyNow()}>
          {copy === 'copied' ? <CheckIcon /> : <CopyIcon />} {copy === 'copied' ? texts.copied : texts.copyShort}
        </button>
      </div>
      <p className="hint">{texts.secret}</p>
    </>
  );
}
