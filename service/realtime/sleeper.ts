/** Somebody who waits until woken. A wake-up is kept until somebody waits, so that none is missed in between. */
export class Sleeper {
  private woken = false;
  private resolve: (() => void) | null = null;

  wake(): void {
    this.woken = true;
    this.resolve?.();
  }

  /** Whether it was woken; false: the time is up. */
  async sleep(milliseconds: number, signals: readonly AbortSignal[]): Promise<boolean> {
    if (!this.woken && !signals.some(({ aborted }) => aborted)) {
      const wake = () => this.wake();
      const timer = setTimeout(() => this.resolve?.(), milliseconds);
      for (const signal of signals) signal.addEventListener('abort', wake, { once: true });
      await new Promise<void>((resolve) => {
        this.resolve = resolve;
      });
      this.resolve = null;
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', wake);
    }
    const woken = this.woken;
    this.woken = false;
    return woken;
  }
}
