import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { parseDownloadLink } from '#client/link.ts';
import { browserFetcher } from '../common/browser-fetcher.ts';
import { LanguageProvider } from '../common/language.tsx';
import { withVisitTrace } from '../common/visit-trace.ts';
import { LocaleContext, localeFor } from '../messages/download.ts';
import { createDownloadClient } from './api.ts';
import { DownloadPage } from './download-page.tsx';
import { type PageEnvironment, PageEnvironmentContext } from './environment.ts';
import { browserKeep } from './opened-link.ts';
import { folderPicker, type PickerWindow } from './save/saving.ts';
import '../styles.css';
import './download.css';

function App({ environment }: { environment: PageEnvironment }) {
  return (
    <PageEnvironmentContext value={environment}>
      <LanguageProvider localeFor={localeFor} context={LocaleContext}>
        <DownloadPage />
      </LanguageProvider>
    </PageEnvironmentContext>
  );
}

function pageEnvironment(): PageEnvironment {
  const address = addressParts(location.href);
  const baseUrl = address?.baseUrl ?? location.origin;
  const fetcher = withVisitTrace(browserFetcher((input, init) => fetch(input, init)));
  const pick = folderPicker(window as PickerWindow);
  return {
    link: address,
    baseUrl,
    api: createDownloadClient(fetcher, baseUrl),
    fetcher,
    keep: browserKeep(
      () => sessionStorage,
      () => localStorage,
      async (linkId) => (await (await (await import('./save/notes.ts')).openNotes(globalThis.indexedDB)).save(linkId))?.token ?? null,
    ),
    platform: navigator.platform,
    fetchTo: (to) => location.assign(to),
    saving: pick && {
      pick,
      makeWorker: () => new Worker(new URL('./save/save-worker.ts', import.meta.url), { type: 'module' }),
      indexedDB: globalThis.indexedDB,
      locks: navigator.locks,
    },
  };
}

/** Null where the address is incomplete. */
function addressParts(address: string): ReturnType<typeof parseDownloadLink> | null {
  try {
    return parseDownloadLink(address);
  } catch {
    return null;
  }
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App environment={pageEnvironment()} />
  </StrictMode>,
);
