import { type FormEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { TextField } from '#ui/field.tsx';
import { TraceId } from '#ui/trace-id.tsx';
import { BrandFrame } from '../common/brand-frame.tsx';
import { loadOnce } from '../common/lazy-load.ts';
import { useLazy } from '../common/use-lazy.ts';
import { type Format, useFormat, useLocale } from '../messages/download.ts';
import { usePageEnvironment } from './environment.ts';
import { type OpenedLink, openLink } from './opened-link.ts';
import { PackageView } from './package-view.tsx';
import { incompleteLink, usedUpView, type View, viewOfFailure } from './view.ts';

/** Few links ask for one. */
const loadCode = loadOnce(() => import('./code/code-form.tsx'));

/** What is shown, in the language of a format. */
interface Shown {
  readonly in: (format: Format) => View;
}

/** Opens the link in the page's address and shows its package. */
export function DownloadPage() {
  const { api, link, keep } = usePageEnvironment();
  const format = useFormat();
  const { messages } = format;
  /** The language may change while it is looked at. */
  const [shown, setShown] = useState<Shown>({ in: () => ({ state: 'opening' }) });
  const view = useMemo(() => shown.in(format), [shown, format]);

  const open = useCallback(
    async (password: string, code = '') => {
      if (!link) return setShown({ in: incompleteLink });
      try {
        const opened = await openLink(api, keep, link, { password, code });
        setShown({ in: (format) => (opened.usedUp ? usedUpView(opened, format) : { state: 'ready', opened }) });
      } catch (error) {
        setShown({ in: (format) => viewOfFailure(error, password, format) });
      }
    },
    [api, keep, link],
  );
  /** Opened once; a change of the language must not open it again. */
  const first = useRef(open);
  useEffect(() => {
    void first.current('');
  }, []);
  const opened = view.state === 'ready' || view.state === 'closed' ? view.opened : null;
  useEffect(() => {
    document.title = opened ? messages.pageTitle(opened.info.name) : messages.plainTitle;
  }, [opened, messages]);

  return (
    <Frame opened={opened} busy={view.state === 'opening'}>
      <Body view={view} onOpen={open} />
    </Frame>
  );
}

function Frame({ opened, busy, children }: { readonly opened: OpenedLink | null; readonly busy: boolean; readonly children: ReactNode }) {
  const { baseUrl, link } = usePageEnvironment();
  const { language, messages } = useLocale();
  const branding = opened?.info.branding;
  return (
    <BrandFrame
      branding={
        branding
          ? {
              name: branding.name ?? '',
              primary_color: branding.primary_color,
              logo_url: branding.logo_url ?? '',
              background_url: branding.background_url ?? '',
              ...(opened?.info.imprint_url !== undefined && { imprint_url: opened.info.imprint_url }),
              ...(opened?.info.privacy_url !== undefined && { privacy_url: opened.info.privacy_url }),
            }
          : null
      }
      picture={(kind, of) => `${baseUrl}/d/${encodeURIComponent(link?.linkId ?? '')}/${kind}?${new URLSearchParams({ of })}`}
      language={language}
      chooseLanguage={messages.chooseLanguage}
      busy={busy}
    >
      {children}
    </BrandFrame>
  );
}

type Open = (password: string, code?: string) => Promise<void>;

function Body({ view, onOpen }: { readonly view: View; readonly onOpen: Open }) {
  const { messages } = useFormat();
  const { language } = useLocale();
  const code = useLazy(loadCode, view.state === 'code');
  switch (view.state) {
    case 'opening':
      return (
        <p className="hint" role="status">
          {messages.opening}
        </p>
      );
    case 'closed':
      return (
        <section className="card closed" role="alert">
          <h1>{view.title}</h1>
          <p>{view.text}</p>
          <TraceId id={view.traceId} language={language} />
          {view.retry ? (
            <button type="button" className="button" onClick={() => onOpen('')}>
              {messages.tryAgain}
            </button>
          ) : null}
        </section>
      );
    case 'password':
      return <PasswordForm problem={view.problem} onPassword={onOpen} />;
    case 'code':
      if (code.state === 'loaded')
        return <code.chunk.CodeForm password={view.password} problem={view.problem} onCode={(given) => onOpen(view.password, given)} />;
      return code.state === 'failed' ? <NotLoaded onRetry={code.retry} /> : <p className="hint">{messages.opening}</p>;
    case 'ready':
      return <PackageView opened={view.opened} />;
  }
}

function NotLoaded({ onRetry }: { readonly onRetry: () => void }) {
  const { messages } = useFormat();
  return (
    <p className="notice notice-bad" role="alert">
      {messages.notLoaded}{' '}
      <button type="button" className="button button-small" onClick={onRetry}>
        {messages.tryAgain}
      </button>
    </p>
  );
}

interface PasswordFormProps {
  readonly problem: string;
  readonly onPassword: (password: string) => Promise<void>;
}

function PasswordForm({ problem, onPassword }: PasswordFormProps) {
  const { messages } = useFormat();
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
      <h1>{messages.password.title}</h1>
      <p>{messages.password.text}</p>
      <form className="form" onSubmit={submit}>
        <TextField
          label={messages.password.label}
          type="password"
          autoComplete="off"
          required
          autoFocus
          value={value}
          error={problem}
          onChange={(event) => setValue(event.target.value)}
        />
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? messages.password.opening : messages.password.open}
        </button>
      </form>
    </section>
  );
}
