/** Milliseconds that a system takes at most to ask about, or to start, the program that an address belongs to. */
const patience = 2_500;

export interface Surroundings {
  /** The page's window. */
  readonly page: EventTarget;
  /** The page's document. */
  readonly document: EventTarget;
  /** Calls back after so many milliseconds, unless what it gives is called before. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
}

/**
 * Whether the system did something with an address of another program that was just handed to it. No browser tells: but
 * its question, or the program, takes the focus away from the page or covers it, and where nothing knows such addresses
 * nothing at all happens.
 */
export function appOpened({ page, document, after }: Surroundings): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (opened: boolean) => (): void => {
      stop();
      page.removeEventListener('blur', yes);
      page.removeEventListener('pagehide', yes);
      document.removeEventListener('visibilitychange', yes);
      resolve(opened);
    };
    const yes = settle(true);
    const stop = after(patience, settle(false));
    page.addEventListener('blur', yes);
    page.addEventListener('pagehide', yes);
    document.addEventListener('visibilitychange', yes);
  });
}

/** Those of this page. */
export const ownSurroundings = (): Surroundings => ({
  page: window,
  document,
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
});
