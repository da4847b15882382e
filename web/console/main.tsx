import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ServiceError } from '#client/errors.ts';
import { createStallTimeouts, type StallTimeouts } from '#client/stall-timeouts.ts';
import { browserFetcher } from '../common/browser-fetcher.ts';
import { accountKey, forgetAccount } from './app/account.ts';
import { goTo, signInAddress } from './app/address.ts';
import { consoleFetcher, TransportContext } from './app/api.ts';
import { App } from './app/app.tsx';
import { ConnectionContext, createConnection } from './app/connection.ts';
import { LanguageProvider } from './app/language-provider.tsx';
import { createLiveState, LiveContext, refetchOnReturn } from './app/live.ts';
import { withPrefetched } from './app/prefetched.ts';
import { onSignedOutElsewhere } from './app/signed-out.ts';
import { preloadView } from './app/views.ts';
import { ToastProvider } from './ui/toasts.tsx';
import './styles/index.css';

/** Milliseconds for which an answer is good enough to be shown again without asking. */
const fresh = 10_000;

const connection = createConnection();
const live = createLiveState();
const cache = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: fresh,
      refetchOnWindowFocus: refetchOnReturn(live),
      retry: (count, error) => count < 2 && error instanceof ServiceError && (error.answered === 0 || error.answered >= 500),
    },
    mutations: { networkMode: 'always' },
  },
});
const fetcherWith = (stallTimeouts?: StallTimeouts) =>
  consoleFetcher({
    send: withPrefetched(
      browserFetcher((input, init) => fetch(input, init), stallTimeouts, 'same-origin'),
      globalThis.longshoreReplies,
    ),
    connection,
    language: () => document.documentElement.lang,
    onEnded() {
      if (forgetAccount(cache)) goTo(signInAddress({ ended: true }), { replace: true });
    },
  });
/** Milliseconds that a patient call may wait for its answer; more than the service takes over one. */
const patience = 60_000;
/** Milliseconds of silence after which a stream is taken for broken; the service breaks it every 15 s. */
const silence = 40_000;
const transport = {
  baseUrl: location.origin,
  fetcher: fetcherWith(),
  patientFetcher: fetcherWith(createStallTimeouts({ answerMs: patience })),
  streamFetcher: fetcherWith(createStallTimeouts({ stallMs: silence })),
};

onSignedOutElsewhere(() => void cache.invalidateQueries({ queryKey: accountKey }));
preloadView(location.pathname);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <TransportContext value={transport}>
        <ConnectionContext value={connection}>
          <LiveContext value={live}>
            <LanguageProvider>
              <ToastProvider>
                <App />
              </ToastProvider>
            </LanguageProvider>
          </LiveContext>
        </ConnectionContext>
      </TransportContext>
    </QueryClientProvider>
  </StrictMode>,
);
