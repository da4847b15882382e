import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { TextField } from '#ui/field.tsx';
import { BrandFrame } from '../../common/brand-frame.tsx';
import { useFormat, useLocale } from '../../messages/portal.ts';
import type { PackageToSend } from '../../sending/package-to-send.ts';
import type { StoredPackage } from '../../sending/store.ts';
import { usePageEnvironment } from './environment.ts';
import { SendForm } from './send-form.tsx';
import { type LazySending, useLazySending } from './use-lazy-sending.ts';
import { type View, viewOfFailure, viewOfPortal } from './view.ts';

/** A Portal: its form, the packages being sent, and unfinished packages of an earlier visit. */
export function PortalPage() {
  const { api, subdomain, store } = usePageEnvironment();
  const format = useFormat();
  const { messages } = format;
  const [view, setView] = useState<View>({ state: 'opening' });
  const [unfinished, setUnfinished] = useState<readonly StoredPackage[]>([]);
  const [active, setActive] = useState<ActiveSending | null>(null);
  const sending = useLazySending(view.state !== 'opening');

  const open = useCallback(
    async (accessCode: string) => {
      try {
        const { id } = await api.call('findPortal', { params: { subdomain } });
        // Loaded concurrently: this browser's stored state, and the Portal itself.
        void store.packages(id).then(setUnfinished, () => setUnfinished([]));
        const credential = accessCode === '' ? ({ kind: 'none' } as const) : ({ kind: 'access_code', code: accessCode } as const);
        const portal: PublicPortal = await api.call('getPortal', { params: { portal_id: id }, credential });
        setView(viewOfPortal(portal, accessCode, new Date(), format));
      } catch (error) {
        setView(viewOfFailure(error, accessCode, format));
      }
    },
    [api, subdomain, store, format],
  );
  /** Opened once; a change of the language must not open it again. */
  const first = useRef(open);
  useEffect(() => {
    void first.current('');
  }, []);
  const portal = view.state === 'ready' || view.state === 'closed' ? view.portal : null;
  useEffect(() => {
    document.title = portal ? messages.pageTitle(portal.name) : messages.plainTitle;
  }, [portal, messages]);

  if (active) {
    const { toSend, SendingView } = active;
    return (
      <PortalFrame portal={portal}>
        <SendingView
          toSend={toSend}
          portalName={portal?.name ?? ''}
          onMore={() => {
            setActive(null);
            void open(view.state === 'ready' ? view.accessCode : '');
          }}
        />
      </PortalFrame>
    );
  }
  return (
    <PortalFrame portal={portal} busy={view.state === 'opening'}>
      {sending.state === 'loaded'
        ? unfinished.map((one) => (
            <sending.chunk.UnfinishedCard
              key={one.id}
              stored={one}
              onResume={(toSend) => setActive({ toSend, SendingView: sending.chunk.SendingView })}
              onGone={() => setUnfinished((before) => before.filter(({ id }) => id !== one.id))}
            />
          ))
        : null}
      {sending.state === 'failed' && unfinished.length > 0 ? (
        <section className="card portal-note portal-unfinished" role="alert">
          <h2>{messages.unfinished.title}</h2>
          <p>{messages.notLoaded}</p>
          <div className="note-buttons">
            <button type="button" className="button" onClick={sending.retry}>
              {messages.tryAgain}
            </button>
          </div>
        </section>
      ) : null}
      <Body view={view} onCode={open} onStart={(toSend, { SendingView }) => setActive({ toSend, SendingView })} />
    </PortalFrame>
  );
}

/** A package being sent, and its view. */
interface ActiveSending {
  readonly toSend: PackageToSend;
  readonly SendingView: LazySending['SendingView'];
}

interface BodyProps {
  readonly view: View;
  readonly onCode: (code: string) => Promise<void>;
  readonly onStart: (toSend: PackageToSend, chunk: LazySending) => void;
}

function Body({ view, onCode, onStart }: BodyProps) {
  const { messages } = useFormat();
  switch (view.state) {
    case 'opening':
      return (
        <p className="hint" role="status">
          {messages.opening}
        </p>
      );
    case 'code':
      return <CodeForm problem={view.problem} onCode={onCode} />;
    case 'closed':
      return (
        <section className="card portal-note" role="alert">
          <h1>{view.title}</h1>
          <p>{view.text}</p>
          {view.retry ? (
            <button type="button" className="button" onClick={() => onCode('')}>
              {messages.tryAgain}
            </button>
          ) : null}
        </section>
      );
    case 'ready':
      return <SendForm portal={view.portal} accessCode={view.accessCode} onStart={onStart} />;
  }
}

function CodeForm({ problem, onCode }: { problem: string; onCode: (code: string) => Promise<void> }) {
  const { messages } = useFormat();
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await onCode(code);
    setBusy(false);
  };
  return (
    <section className="card portal-note">
      <h1>{messages.code.title}</h1>
      <p>{messages.code.text}</p>
      <form className="form" onSubmit={submit}>
        <TextField
          label={messages.code.label}
          error={problem}
          type="password"
          autoComplete="off"
          required
          maxLength={1_024}
          autoFocus
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? messages.code.opening : messages.code.open}
        </button>
        <p className="visually-hidden" role="alert">
          {problem}
        </p>
      </form>
    </section>
  );
}

interface PortalFrameProps {
  /** Null while it is loading. */
  readonly portal: PublicPortal | null;
  readonly busy?: boolean;
  readonly children: ReactNode;
}

/** The Portal's branding around the page's content. */
function PortalFrame({ portal, busy = false, children }: PortalFrameProps) {
  const { baseUrl, subdomain } = usePageEnvironment();
  const { language, messages } = useLocale();
  return (
    <BrandFrame
      branding={portal}
      picture={(kind, of) => `${baseUrl}/p/${subdomain}/${kind}?${new URLSearchParams({ of })}`}
      language={language}
      chooseLanguage={messages.chooseLanguage}
      busy={busy}
    >
      {children}
    </BrandFrame>
  );
}
