import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { browserFetcher } from '../common/browser-fetcher.ts';
import { LanguageProvider } from '../common/language.tsx';
import { loadOnce } from '../common/lazy-load.ts';
import { createPageClient } from '../common/page-client.ts';
import { withVisitTrace } from '../common/visit-trace.ts';
import { LocaleContext, localeFor } from '../messages/portal.ts';
import { handlePickers } from '../sending/files/read-entries.ts';
import { openStore, type StoreTrouble } from '../sending/store.ts';
import { type PageEnvironment, PageEnvironmentContext } from './page/environment.ts';
import { parsePortalAddress } from './page/portal-address.ts';
import { PortalPage } from './page/portal-page.tsx';
import { withPrefetched } from './page/prefetched-answers.ts';
import { LoadSendingContext } from './page/use-lazy-sending.ts';
import '../styles.css';
import '../sending/view/sending.css';
import './portal.css';

const loadSending = loadOnce(() => import('./page/lazy-sending.ts'));

function App({ environment }: { environment: PageEnvironment }) {
  return (
    <PageEnvironmentContext value={environment}>
      <LanguageProvider localeFor={localeFor} context={LocaleContext}>
        <LoadSendingContext value={loadSending}>
          <PortalPage />
        </LoadSendingContext>
      </LanguageProvider>
    </PageEnvironmentContext>
  );
}

function start(root: HTMLElement): void {
  const address = parsePortalAddress(new URL(location.href)) ?? { subdomain: 'unknown', baseUrl: location.origin };
  const fetcher = withPrefetched(withVisitTrace(browserFetcher((input, init) => fetch(input, init))), globalThis.longshorePrefetched);
  let trouble: StoreTrouble | null = null;
  const store = openStore(globalThis.indexedDB, (what) => {
    trouble = what;
  });
  const environment: PageEnvironment = {
    ...address,
    api: createPageClient(fetcher, address.baseUrl),
    fetcher,
    store,
    tokenOf: async ({ token }) => token,
    trouble: () => trouble,
    locks: navigator.locks,
    pickers: handlePickers(window as unknown as Parameters<typeof handlePickers>[0]),
  };
  createRoot(root).render(
    <StrictMode>
      <App environment={environment} />
    </StrictMode>,
  );
}

start(document.getElementById('root')!);
