import type { AgentEvent } from '#protocol/agent/events.ts';

/**
 * News for components that show transfers: changes in order, or that events were missed and everything must be read
 * again.
 */
export type FeedNews = { readonly type: 'events'; readonly events: readonly AgentEvent[] } | { readonly type: 'again' };

/** Passes the agent's events to the components that listen at present. */
export interface Feed {
  tell(news: FeedNews): void;
  /** Returns the function that stops listening. */
  listen(listener: (news: FeedNews) => void): () => void;
}

export function createFeed(): Feed {
  const listeners = new Set<(news: FeedNews) => void>();
  return {
    tell(news) {
      for (const listener of [...listeners]) listener(news);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
