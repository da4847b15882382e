import { type ComponentType, lazy } from 'react';

/** Milliseconds before a part that could not be loaded is asked for again: the agent may be starting. */
const pause = 1_500;

const parts = new Set<() => Promise<unknown>>();

/**
 * A component that is loaded when it is first shown, or once the page is idle. While the agent is away it is asked for
 * again and again.
 */
// biome-ignore lint/suspicious/noExplicitAny: as in React's own type, since it holds for any properties
export function lazyView<T extends ComponentType<any>>(load: () => Promise<T>) {
  const insist = async (): Promise<{ default: T }> => {
    for (;;) {
      try {
        return { default: await load() };
      } catch {
        await new Promise((resume) => setTimeout(resume, pause));
      }
    }
  };
  parts.add(load);
  return lazy(insist);
}

/** Loads the parts that nobody has asked for yet, so that they are there if the agent goes away. */
export async function loadLazyViews(): Promise<void> {
  for (const load of parts) await load().catch(() => undefined);
}
