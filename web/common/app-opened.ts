/** The longest time in milliseconds in which a system asks about, or starts, the program for an address. */
const openTimeoutMs = 2_500;

export interface Surroundings {
  /** The page's window. */
  readonly page: EventTarget;
  /** The page's document. */
  readonly document: EventTarget;
  /** Starts a timer. The returned function cancels it. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
}

/**
 * Whether the system handled an address of another program that was just opened. Browsers do not report it. But the
 * system's question, or the program, takes the focus from the page or covers it; without such a program nothing
 * happens.
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
    const stop = after(openTimeoutMs, settle(false));
    page.addEventListener('blur', yes);
    page.addEventListener('pagehide', yes);
    document.addEventListener('visibilitychange', yes);
  });
}

/** The real window, document and timer of this page. */
export const ownSurroundings = (): Surroundings => ({
  page: window,
  document,
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
});
