import type { Locale } from './locale.ts';

/** The locale with sentences of the agent that only one view shows, so that the page's first load is without them. */
export const withPhrases = (locale: Locale, german: Readonly<Record<string, string>>): Locale => ({
  ...locale,
  messages: {
    ...locale.messages,
    agent: {
      ...locale.messages.agent,
      phrases: { ...locale.messages.agent.phrases, ...(locale.language === 'de' ? german : {}) },
    },
  },
});
