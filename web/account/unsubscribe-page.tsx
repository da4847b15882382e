import { useCallback, useEffect, useRef, useState } from 'react';
import type { NoticeChoice } from '#protocol/hosted/notices.ts';
import { useLocale } from '../messages/account.ts';
import { usePageEnvironment } from './environment.ts';
import { endedBy, failureText } from './faults.ts';
import { Note } from './note.tsx';

type View =
  | { readonly state: 'loading' }
  | { readonly state: 'wrong' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'open'; readonly choice: NoticeChoice };

/** Turns the notices of a package off by a mail, and on again. A button does, because mail programs open links by themselves. */
export function UnsubscribePage() {
  const { token: mailed, api } = usePageEnvironment();
  const locale = useLocale();
  const { messages } = locale;
  const text = messages.unsubscribe;
  const [view, setView] = useState<View>({ state: 'loading' });
  const [busy, setBusy] = useState(false);
  const [messageId = '', token = ''] = mailed.split('.');
  const call = { params: { message_id: messageId }, query: { token } };
  const attempt = useCallback(async (work: () => Promise<NoticeChoice>): Promise<void> => {
    setBusy(true);
    try {
      setView({ state: 'open', choice: await work() });
    } catch (error) {
      setView(endedBy(error) === null ? { state: 'failed', error } : { state: 'wrong' });
    }
    setBusy(false);
  }, []);
  const load = (): Promise<void> =>
    messageId === '' || token === '' ? Promise.resolve(setView({ state: 'wrong' })) : attempt(() => api.call('getNoticeChoice', call));
  /** Loaded once; a change of the language must not load it again. */
  const first = useRef(load);
  useEffect(() => {
    void first.current();
  }, []);
  useEffect(() => {
    document.title = `${text.title} · Longshore`;
  }, [text]);
  const set = (choice: NoticeChoice, stopped: boolean): void =>
    void attempt(async () => {
      await api.call(stopped ? 'stopNotices' : 'resumeNotices', call);
      return { ...choice, stopped };
    });

  if (view.state === 'loading') {
    return (
      <p className="hint" role="status">
        {text.loading}
      </p>
    );
  }
  if (view.state === 'wrong') return <Note tone="alert" {...text.wrong} />;
  if (view.state === 'failed') {
    return (
      <Note tone="alert" title={messages.wentWrong.title} text={failureText(view.error, locale)}>
        <button type="button" className="button" disabled={busy} onClick={() => void load()}>
          {messages.tryAgain}
        </button>
      </Note>
    );
  }
  const { choice } = view;
  if (choice.stopped) {
    return (
      <Note tone="status" title={text.done} text={text.doneText(choice.package_name, choice.email)}>
        <button type="button" className="button" disabled={busy} onClick={() => set(choice, false)}>
          {text.undo}
        </button>
      </Note>
    );
  }
  return (
    <section className="card account-card">
      <h1>{text.title}</h1>
      <p dir="auto">{text.text(choice.package_name, choice.email)}</p>
      <p className="hint">{text.hint}</p>
      <div className="account-acts">
        <button type="button" className="button button-primary" disabled={busy} onClick={() => set(choice, true)}>
          {text.stop}
        </button>
      </div>
    </section>
  );
}
