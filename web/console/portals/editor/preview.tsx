import { useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import icon from '../../../../resources/icon.svg';
import { inkOn } from '../../../common/brand-frame.tsx';
import { createPageClient } from '../../../common/page-client.ts';
import { LocaleContext, localeFor } from '../../../messages/portal.ts';
import { type PageEnvironment, PageEnvironmentContext } from '../../../portal/page/environment.ts';
import { SendForm } from '../../../portal/page/send-form.tsx';
import { LoadSendingContext } from '../../../portal/page/use-lazy-sending.ts';
import pageStyles from '../../../preview.css?inline';
import { openStore } from '../../../sending/store.ts';
import { useTexts } from '../../app/texts.ts';

interface PreviewProps {
  readonly portal: PublicPortal;
  /** The addresses of its pictures that the service has; another one is not shown before it is saved. */
  readonly saved: { readonly logo_url: string; readonly background_url: string; readonly subdomain: string };
}

/**
 * The upload page as it would be, of its own components with its own styles. It stands in a shadow tree, so that neither
 * the page's styles nor the console's change the other.
 */
export function Preview({ portal, saved }: PreviewProps) {
  const host = useRef<HTMLDivElement>(null);
  const [root, setRoot] = useState<ShadowRoot | null>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const shadow = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(pageStyles);
    shadow.adoptedStyleSheets = [sheet];
    setRoot(shadow);
  }, []);
  // Nothing in it can be reached: it is to be looked at.
  return (
    <div ref={host} className="portal-preview" inert>
      {root ? createPortal(<Page portal={portal} saved={saved} />, root) : null}
    </div>
  );
}

/** What the page's components ask for; none of it is used, since nothing in the preview can be pressed. */
const idle: PageEnvironment = {
  subdomain: '',
  baseUrl: location.origin,
  api: createPageClient(() => Promise.reject(new Error('A preview sends nothing.')), location.origin),
  fetcher: () => Promise.reject(new Error('A preview sends nothing.')),
  store: openStore(undefined, () => undefined),
  tokenOf: async ({ token }) => token,
  trouble: () => null,
  locks: undefined,
  pickers: null,
};

const loadNothing = () => Promise.reject(new Error('A preview sends nothing.'));

function Page({ portal, saved }: PreviewProps) {
  const { tag } = useTexts({ en: {}, de: {} });
  const locale = useMemo(() => localeFor([tag]), [tag]);
  const colour = /^#[0-9a-f]{6}$/i.test(portal.primary_color) ? portal.primary_color : null;
  const picture = (kind: 'logo' | 'background'): string | null => {
    const address = portal[`${kind}_url`];
    if (address === '') return null;
    if (address.startsWith(`${location.origin}/images/`)) return address;
    return address === saved[`${kind}_url`] ? `/p/${saved.subdomain}/${kind}?${new URLSearchParams({ of: address })}` : null;
  };
  const [logo, background] = [picture('logo'), picture('background')];
  // What a form begins with is read once, so another form is another page.
  const form = JSON.stringify(portal.custom_metadata ?? null);
  return (
    <PageEnvironmentContext value={idle}>
      <LocaleContext value={locale}>
        <LoadSendingContext value={loadNothing}>
          <div
            className="page-preview"
            style={colour ? ({ '--brand': colour, '--on-brand': inkOn(colour) } as React.CSSProperties) : undefined}
          >
            {background ? <img className="frame-background" src={background} alt="" /> : null}
            <div className="frame">
              <div className="frame-brand">
                {logo ? (
                  <img className="frame-logo" src={logo} alt="" />
                ) : (
                  <span className="brand">
                    <img src={icon} width="32" height="32" alt="" />
                    <span>Longshore</span>
                  </span>
                )}
              </div>
              <SendForm key={form} portal={portal} accessCode="" onStart={() => undefined} />
            </div>
          </div>
        </LoadSendingContext>
      </LocaleContext>
    </PageEnvironmentContext>
  );
}
