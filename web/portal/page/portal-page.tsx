import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { PortalCover, PublicPortal } from '#protocol/hosted/portals.ts';
import { BrandFrame } from '../../common/brand-frame.tsx';
import { loadOnce } from '../../common/lazy-load.ts';
import { useLazy } from '../../common/use-lazy.ts';
import { useFormat, useLocale } from '../../messages/portal.ts';
import type { PackageToSend } from '../../sending/package-to-send.ts';
import type { StoredPackage } from '../../sending/store.ts';
import { faultText } from '../../sending/view/faults.ts';
import { usePageEnvironment } from './environment.ts';
import { ErrorId } from './error-id.tsx';
import { SendForm } from './send-form.tsx';
import { type LazySending, useLazySending } from './use-lazy-sending.ts';
import { type View, viewOfFailure, viewOfPortal } from './view.ts';

const loadCodeForm = loadOnce(() => import('./code-form.tsx'));

/** A Portal: its form, the packages being sent, and unfinished packages of an earlier visit. */
export function PortalPage() {
  const { api, subdomain, store } = usePageEnvironment();
  const format = useFormat();
  const { messages } = format;
  const [view, setView] = useState<View>({ state: 'opening' });
  const [cover, setCover] = useState<PortalCover | null>(null);
  const [unfinished, setUnfinished] = useState<readonly StoredPackage[]>([]);
  const [active, setActive] = useState<ActiveSending | null>(null);
  const sending = useLazySending(view.state !== 'opening');

  const open = useCallback(
    async (accessCode: string) => {
      try {
        const { id, cover: shown = null } = await api.call('findPortal', { params: { subdomain } });
        setCover(shown);
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
  const portal = (view.state === 'ready' || view.state === 'closed' ? view.portal : null) ?? cover;
  useEffect(() => {
    document.title = portal ? messages.pageTitle(portal.name) : messages.plainTitle;
  }, [portal, messages]);

  if (active) {
    const { toSend, SendingView } = active;
    return (
      <PortalFrame portal={portal}>
        <SendingView
          toSend={toSend}
          portal={portal}
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
      <Body view={view} cover={cover} onCode={open} onStart={(toSend, { SendingView }) => setActive({ toSend, SendingView })} />
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
  readonly cover: PortalCover | null;
  readonly onCode: (code: string) => Promise<void>;
  readonly onStart: (toSend: PackageToSend, chunk: LazySending) => void;
}

function Body({ view, cover, onCode, onStart }: BodyProps) {
  const format = useFormat();
  const { messages } = format;
  switch (view.state) {
    case 'opening':
      return (
        <p className="hint" role="status">
          {messages.opening}
        </p>
      );
    case 'code':
      return <LazyCodeForm cover={cover} problem={view.problem} onCode={onCode} />;
    case 'closed':
      return (
        <section className="card portal-note" role="alert">
          <h1>{view.title}</h1>
          <p>{view.text || faultText(view.error, format)}</p>
          <ErrorId error={view.error} />
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

/** Its code is loaded only where a Portal has an access code. */
function LazyCodeForm(props: Omit<BodyProps, 'view' | 'onStart'> & { readonly problem: string }) {
  const { messages } = useFormat();
  const form = useLazy(loadCodeForm);
  if (form.state === 'loaded') return <form.chunk.CodeForm {...props} />;
  if (form.state === 'loading') return null;
  return (
    <section className="card portal-note" role="alert">
      <p>{messages.notLoaded}</p>
      <button type="button" className="button" onClick={form.retry}>
        {messages.tryAgain}
      </button>
    </section>
  );
}

interface PortalFrameProps {
  /** Null while it is loading. */
  readonly portal: PortalCover | PublicPortal | null;
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
