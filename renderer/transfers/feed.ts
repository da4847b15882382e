import type { AgentEvent } from '#protocol/agent/events.ts';

/**
 * A message for components that show transfers: events in order, or `reset` where events were missed and everything
 * must be requested again.
 */
type FeedMessage = { readonly type: 'events'; readonly events: readonly AgentEvent[] } | { readonly type: 'reset' };

/** Passes the agent's events to the components that listen at present. */
export interface Feed {
  emit(news: FeedMessage): void;
  /** Returns the function that stops listening. */
  listen(listener: (news: FeedMessage) => void): () => void;
}

export function createFeed(): Feed {
  const listeners = new Set<(news: FeedMessage) => void>();
  return {
    emit(news) {
      for (const listener of [...listeners]) listener(news);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
