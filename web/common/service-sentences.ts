/** A text of the service in the page's language as far as it is known there, else as it is. */
export type Said = (text: string) => string;

/** The service's sentences in German. They are loaded once one is to be shown, so they cost no visit anything. */
export interface ServiceSentences {
  /** Another function once they are loaded; until then texts stay as they are. */
  said(): Said;
  /** Calls back then. */
  subscribe(listener: () => void): () => void;
}

/** @param load what gives the German of a text, and null where some of it is not known; if it fails, the next text tries again */
export function createServiceSentences(load: () => Promise<(text: string) => string | null>): ServiceSentences {
  const listeners = new Set<() => void>();
  let said: Said = (text) => {
    load().then(
      (german) => {
        said = (text) => german(text) ?? text;
        for (const listener of listeners) listener();
      },
      () => {},
    );
    return text;
  };
  return {
    said: () => said,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const serviceSentences = createServiceSentences(async () => (await import('#protocol/german/index.ts')).german);
