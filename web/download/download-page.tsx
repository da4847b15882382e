import { type FormEvent, useCallback, useEffect, useState } from 'react';
import type { DownloadApi } from './api.ts';
import { FileList } from './file-list.tsx';
import { linkOfPage } from './link-of-page.ts';
import { PageFrame } from './page-frame.tsx';
import { incompleteLink, type View, viewOfFailure, viewOfPackage } from './view.ts';

/** Opens the link in the page's address and shows what is behind it. */
export function DownloadPage({ api, address }: { api: DownloadApi; address: URL }) {
  const [view, setView] = useState<View>({ state: 'opening' });
  const [password, setPassword] = useState('');

  const open = useCallback(
    async (secretWord: string) => {
      const link = linkOfPage(address);
      if (!link) return setView(incompleteLink);
      try {
        const info = await api.openLink(link.linkId, link.secret, secretWord);
        setView(viewOfPackage(info, await api.listFiles(info)));
      } catch (error) {
        setView(viewOfFailure(error, secretWord));
      }
    },
    [api, address],
  );
  useEffect(() => {
    void open('');
  }, [open]);

  switch (view.state) {
    case 'opening':
      return (
        <PageFrame busy>
          <p className="hint" role="status">
            Opening the link…
          </p>
        </PageFrame>
      );
    case 'closed':
      return (
        <PageFrame>
          <section className="card closed" role="alert">
            <h1>{view.title}</h1>
            <p>{view.text}</p>
            {view.retry ? (
              <button type="button" className="button" onClick={() => open(password)}>
                Try again
              </button>
            ) : null}
          </section>
        </PageFrame>
      );
    case 'password':
      return (
        <PageFrame>
          <PasswordForm
            problem={view.problem}
            onPassword={(value) => {
              setPassword(value);
              return open(value);
            }}
          />
        </PageFrame>
      );
    case 'ready':
      return (
        <PageFrame>
          <FileList view={view} api={api} reopen={() => open(password)} />
        </PageFrame>
      );
  }
}

function PasswordForm({ problem, onPassword }: { problem: string; onPassword: (password: string) => Promise<void> }) {
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    await onPassword(value);
    setBusy(false);
  };
  return (
    <section className="card closed">
      <h1>This link has a password</h1>
      <p>Its sender will have told you.</p>
      <form className="form" onSubmit={submit}>
        <div className="field">
          <label htmlFor="password">Password</label>
          <input
            id="password"
            className="input"
            type="password"
            autoComplete="off"
            required
            // biome-ignore lint/a11y/noAutofocus: the one thing there is to do here
            autoFocus
            value={value}
            aria-invalid={problem ? true : undefined}
            aria-describedby={problem ? 'password-problem' : undefined}
            onChange={(event) => setValue(event.target.value)}
          />
          {problem ? (
            <p className="field-error" id="password-problem" role="alert">
              {problem}
            </p>
          ) : null}
        </div>
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? 'Opening…' : 'Open'}
        </button>
      </form>
    </section>
  );
}
