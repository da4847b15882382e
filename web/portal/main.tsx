import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { browserFetcher } from '../common/browser-fetcher.ts';
import { LanguageProvider } from '../common/language.tsx';
import { loadOnce } from '../common/load-later.ts';
import { createPageClient } from '../common/page-client.ts';
import { LocaleContext, localeFor } from '../messages/portal.ts';
import { handlePickers } from './files/read-entries.ts';
import { withEarly } from './page/early-answers.ts';
import { type Place, PlaceContext } from './page/place.ts';
import { placeOfPage } from './page/place-of-page.ts';
import { PortalPage } from './page/portal-page.tsx';
import { openStore, type StoreTrouble } from './sending/store.ts';
import '../styles.css';
import './portal.css';

function App({ place }: { place: Place }) {
  return (
    <PlaceContext value={place}>
      <LanguageProvider localeFor={localeFor} context={LocaleContext}>
        <PortalPage />
      </LanguageProvider>
    </PlaceContext>
  );
}

function start(root: HTMLElement): void {
  const address = placeOfPage(new URL(location.href)) ?? { subdomain: 'unknown', baseUrl: location.origin };
  const fetcher = withEarly(
    browserFetcher((input, init) => fetch(input, init)),
    globalThis.longshoreEarly,
  );
  let trouble: StoreTrouble | null = null;
  const store = openStore(globalThis.indexedDB, (what) => {
    trouble = what;
  });
  const place: Place = {
    ...address,
    api: createPageClient(fetcher, address.baseUrl),
    fetcher,
    store,
    trouble: () => trouble,
    locks: navigator.locks,
    pickers: handlePickers(window as unknown as Parameters<typeof handlePickers>[0]),
    later: loadOnce(() => import('./page/later.ts')),
  };
  createRoot(root).render(
    <StrictMode>
      <App place={place} />
    </StrictMode>,
  );
}

start(document.getElementById('root')!);
