/** Calls from the page to the desktop app; main/electron/ipc.ts handles them. */
export interface DesktopCalls {
  /** Lets the person choose files and folders to send. Absolute paths; empty when cancelled. */
  pickPaths(): Promise<string[]>;
  /** Lets the person choose a folder. Null when cancelled. */
  pickFolder(): Promise<string | null>;
  /** Shows a folder in the system's file manager. */
  revealFolder(path: string): Promise<void>;
  /**
   * Reports that the agent's settings have changed: the desktop reads and applies them (start at log-in, appearance,
   * language). Rejects when the system refuses.
   */
  applySettings(): Promise<void>;
  /** Reports the battery level, 0 to 1, or null where there is none: only a page can read it. */
  reportBattery(level: number | null): Promise<void>;
}

/**
 * Functions that only the desktop app has. Its preload script provides them as `window.longshore`. In a browser it is
 * absent, and the page uses what works everywhere.
 */
export interface DesktopBridge extends DesktopCalls {
  /** The absolute path of a dropped or chosen file or folder; empty for one that is not on a disk. */
  pathOf(file: File): string;
  /**
   * Calls the listener with a route of this page (`#/…`) when the desktop opens one: by the tray, a menu, or a deep
   * link.
   */
  onGo(listener: (hash: string) => void): void;
}

declare global {
  interface Window {
    readonly longshore?: DesktopBridge;
  }
}

export function desktopBridge(): DesktopBridge | null {
  return window.longshore ?? null;
}
