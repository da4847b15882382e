import { createContext, useContext } from 'react';
import type { AgentClient } from '#client/agent.ts';
import type { TokenStore } from '../agent/token.ts';
import type { Feed } from '../transfers/feed.ts';

interface AppParts {
  readonly client: AgentClient;
  readonly token: TokenStore;
  /** The agent's events, for components that show transfers. */
  readonly feed: Feed;
}

export const AppContext = createContext<AppParts | null>(null);

/** The agent's client and the token store, created once at the page's start. */
export function useApp(): AppParts {
  const parts = useContext(AppContext);
  if (!parts) throw new Error('AppContext is missing above this component.');
  return parts;
}
