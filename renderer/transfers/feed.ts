import type { AgentEvent } from '#protocol/agent/events.ts';

/** News for whoever shows transfers: changes in their order, or that some were missed and all has to be read again. */
export type FeedNews = { readonly type: 'events'; readonly events: readonly AgentEvent[] } | { readonly type: 'again' };

/** Gives the agent's events to those parts of the page that listen now. */
export interface Feed {
  tell(news: FeedNews): void;
  /** The answer stops listening. */
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
