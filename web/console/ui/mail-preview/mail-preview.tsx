import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { MailPreview as Mail } from '#protocol/hosted/mail-preview.ts';
import { type MailLanguage, mailLanguages } from '#protocol/mail-languages.ts';
import { SelectField } from '#ui/field.tsx';
import { languageNames } from '#ui/locale.ts';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../../messages/de/console/mail-preview.ts';
import { en } from '../../../messages/en/console/mail-preview.ts';
import { useTexts } from '../../app/texts.ts';
import { useFaultText } from '../fault-text.ts';
import './mail-preview.css';

type MailKind = keyof (typeof en)['kinds'];

/** Widths in pixels that mail programs give a mail on a desk and on a phone, and the part in plain text. */
const looks = ['600', '360', 'text'] as const;
/** Milliseconds without typing after which the service is asked. */
const typingPause = 400;

interface MailPreviewProps<Kind extends MailKind, Settings> {
  readonly kinds: readonly Kind[];
  /** As they stand in a form. */
  readonly settings: Settings;
  /** Empty: that of whoever looks. */
  readonly mailLanguage: MailLanguage | '';
  /** Whose mails they are, as a key of the cache. */
  readonly cacheKey: readonly string[];
  readonly ask: (wanted: Settings & { readonly kind: Kind; readonly language: MailLanguage }, signal: AbortSignal) => Promise<Mail>;
}

/** What is wrong with a setting is said at its field, once it is to be saved. */
const isOfForm = (error: unknown): boolean => error instanceof ServiceError && error.error === 'invalid_request';

/** Mails with the settings as they stand in a form, as the service makes them. */
export function MailPreview<Kind extends MailKind, Settings extends object>({
  kinds,
  settings,
  mailLanguage,
  cacheKey,
  ask,
}: MailPreviewProps<Kind, Settings>) {
  const { messages: text, language: own } = useTexts({ en, de });
  const fault = useFaultText();
  const [kind, setKind] = useState(kinds[0]!);
  const [language, setLanguage] = useState<MailLanguage>(mailLanguage || own);
  const [look, setLook] = useState<(typeof looks)[number]>('600');
  const wanted = { kind, language, ...useSettled(settings, typingPause) };
  const preview = useQuery({
    queryKey: [...cacheKey, 'mail-preview', wanted],
    queryFn: ({ signal }) => ask(wanted, signal),
    placeholderData: keepPreviousData,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const mail = preview.data;
  return (
    <div className="mail-preview">
      <p className="hint">{text.text}</p>
      <div className="mail-choices">
        <SelectField label={text.kind} value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {text.kinds[one]}
            </option>
          ))}
        </SelectField>
        <SelectField label={text.language} value={language} onChange={({ target }) => setLanguage(target.value as typeof language)}>
          {mailLanguages.map((code) => (
            <option key={code} value={code} lang={code}>
              {languageNames[code]}
            </option>
          ))}
        </SelectField>
        <SelectField label={text.look} value={look} onChange={({ target }) => setLook(target.value as typeof look)}>
          {looks.map((one) => (
            <option key={one} value={one}>
              {text.looks[one]}
            </option>
          ))}
        </SelectField>
      </div>
      {preview.error ? <Notice tone="warn">{isOfForm(preview.error) ? text.invalid : fault(preview.error)}</Notice> : null}
      {mail ? (
        <div className="mail-shown" lang={language}>
          <p className="mail-subject" dir="auto">
            {mail.subject}
          </p>
          {look === 'text' ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: Long lines are scrolled by keys, too.
            <section className="mail-scroll" aria-label={text.looks.text} tabIndex={0}>
              <pre className="mail-text">{mail.text}</pre>
            </section>
          ) : (
            <MailFrame html={mail.html} width={Number(look)} title={text.title} />
          )}
        </div>
      ) : null}
    </div>
  );
}

/**
 * A mail in a document of its own, whose rules allow inline styles as mail programs do (`/mail-frame`). It runs no
 * scripts, and its links lead nowhere.
 */
function MailFrame({ html, width, title }: { readonly html: string; readonly width: number; readonly title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const id = useId();
  const [ready, setReady] = useState(false);
  const [height, setHeight] = useState(640);
  useEffect(() => {
    const page = frame.current?.contentDocument;
    if (!ready || !page) return;
    page.documentElement.innerHTML = html;
    for (const link of page.querySelectorAll('a')) link.removeAttribute('href');
    // In the width that it has now.
    if (page.body.clientWidth <= width) setHeight(page.body.scrollHeight);
  }, [ready, html, width]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: Where the page is narrower than the mail, it is scrolled by keys, too.
    <section className="mail-scroll" aria-labelledby={id} tabIndex={0}>
      <span id={id} className="visually-hidden">
        {title}
      </span>
      <iframe
        ref={frame}
        className="mail-frame"
        title={title}
        src="/mail-frame"
        sandbox="allow-same-origin"
        style={{ width, height }}
        onLoad={() => setReady(true)}
      />
    </section>
  );
}

/** The value once it has not changed for a while. */
function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled((before) => (JSON.stringify(before) === key ? before : latest.current)), milliseconds);
    return () => clearTimeout(timer);
  }, [key, milliseconds]);
  return settled;
}
