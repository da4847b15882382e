import { type FormEvent, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import { isWholeLinkCode } from '#client/link-code.ts';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/link-code.ts';
import { type Format, useFormat, useLocale } from '../../messages/download.ts';
import { en } from '../../messages/en/link-code.ts';
import { usePageEnvironment } from '../environment.ts';
import { type CodeProblem, reasonOf } from '../view.ts';
import { useCountdown } from './use-countdown.ts';

interface CodeFormProps {
  /** Of the link; empty where it has none. */
  readonly password: string;
  readonly problem: CodeProblem;
  readonly onCode: (code: string) => Promise<void>;
}

/** Where the code went: an address that is not written out, and kept on one line; empty where another visit had it mailed. */
type Mailed = { readonly to: string } | null;

/**
 * Has the code mailed that a link asks for, and takes it. It is mailed when the person asks for it and not by itself:
 * mail programs open links too, to look what is behind them.
 */
export function CodeForm({ password, problem, onCode }: CodeFormProps) {
  const { api, link } = usePageEnvironment();
  const { language } = useLocale();
  const format = useFormat();
  const text = language === 'de' ? de : en;
  const [mailed, setMailed] = useState<Mailed>(null);
  const [mailing, setMailing] = useState(false);
  const [opening, setOpening] = useState(false);
  /** What has failed: its text follows the language. */
  const [failure, setFailure] = useState<{ readonly in: (format: Format) => string } | null>(null);
  const [code, setCode] = useState('');
  /** What was the matter with the code before is forgotten when another one is mailed. */
  const [isFresh, setFresh] = useState(false);
  const [isIncomplete, setIncomplete] = useState(false);
  const [nextAt, setNextAt] = useState(0);
  const wait = useCountdown(nextAt);

  const mail = async (): Promise<void> => {
    setMailing(true);
    setFailure(null);
    try {
      const { linkId, secret } = link!;
      const credential = { kind: 'link', password } as const;
      const sent = await api.call('createLinkCode', { params: { link_id: linkId }, query: { secret }, credential });
      setMailed({ to: sent.recipient });
      setNextAt(Date.now() + sent.pause_seconds * 1_000);
      setFresh(true);
      setIncomplete(false);
      setCode('');
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'rate_limited')
        return setFailure({ in: (format) => text.failed(reasonOf(error, format)) });
      const seconds = error.retryAfter ?? 60;
      setNextAt(Date.now() + seconds * 1_000);
      // Before a minute is over the last one is good still, whoever asked for it.
      if (seconds > 60) setFailure({ in: (format) => text.tooMany(format.duration(seconds)) });
      setMailed((before) => before ?? { to: '' });
    } finally {
      setMailing(false);
    }
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const isIncomplete = !isWholeLinkCode(code);
    setIncomplete(isIncomplete);
    if (isIncomplete) return;
    setOpening(true);
    setFresh(false);
    await onCode(code);
    setOpening(false);
  };

  const fault = isIncomplete ? text.incomplete : problem === 'none' || isFresh || opening ? '' : text[problem];
  return (
    <section className="card closed">
      <h1>{text.title}</h1>
      <p role="status">{mailed === null ? text.ask : mailed.to === '' ? text.sentBefore : text.sent(mailed.to.replace('@', '\u2060@'))}</p>
      {failure ? (
        <p className="notice notice-bad" role="alert">
          {failure.in(format)}
        </p>
      ) : null}
      {mailed === null ? (
        <button type="button" className="button button-primary" disabled={mailing} onClick={mail}>
          {mailing ? text.mailing : text.mailIt}
        </button>
      ) : (
        <form className="form" noValidate onSubmit={submit}>
          <TextField
            label={text.label}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            required
            autoFocus
            value={code}
            error={fault}
            hint={mailed.to === '' ? text.notThereBefore : text.notThere}
            onChange={(event) => setCode(event.target.value)}
          />
          <div className="choice-buttons">
            <button type="submit" className="button button-primary" disabled={opening}>
              {opening ? text.opening : text.open}
            </button>
            <button type="button" className="button" disabled={mailing || wait > 0} onClick={mail}>
              {mailing ? text.mailing : wait > 0 ? text.againIn(format.duration(wait)) : text.again}
            </button>
          </div>
        </form>
      )}
    </section>
  );
}
