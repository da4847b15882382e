import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createAgentClient } from '#client/agent.ts';
import { AgentCallError } from '#client/agent-call-error.ts';
import { withCallTrace } from './agent/call-trace.ts';
import { enterPage } from './agent/enter.ts';
import { createTokenStore, tabStorage } from './agent/token.ts';
import { App } from './app/app.tsx';
import { AppContext } from './app/context.ts';
import { loadLazyViews } from './app/lazy-view.ts';
import { LocaleProvider, loadFirstLocale } from './app/locale-provider.tsx';
import { desktopBridge } from './desktop/bridge.ts';
import { startDesktop } from './desktop/start.ts';
import { createFeed } from './transfers/feed.ts';
import './ui/styles/index.css';

const token = createTokenStore(tabStorage());
const client = createAgentClient({ transport: withCallTrace((path, init) => fetch(path, init)), token: token.get });
const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // The agent is on this machine or near it, so the browser's online status does not matter.
      networkMode: 'always',
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && error instanceof AgentCallError && error.retryable,
    },
    mutations: { networkMode: 'always' },
  },
});

const parts = { client, token, feed: createFeed() };

const [locale] = await Promise.all([loadFirstLocale(), enterPage(client, token, window)]);
startDesktop(desktopBridge(), window);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <AppContext value={parts}>
        <LocaleProvider first={locale}>
          <App />
        </LocaleProvider>
      </AppContext>
    </QueryClientProvider>
  </StrictMode>,
);
// Not every browser tells when it is idle.
if ('requestIdleCallback' in window) requestIdleCallback(() => void loadLazyViews(), { timeout: 5_000 });
else setTimeout(() => void loadLazyViews(), 2_000);
