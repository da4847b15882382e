/** What the page asks of the desktop app; each call is answered by main/electron/ipc.ts. */
export interface DesktopCalls {
  /** Lets the person choose files and folders to send. Absolute paths; empty when they changed their mind. */
  pickPaths(): Promise<string[]>;
  /** Lets the person choose a folder. Null when they changed their mind. */
  pickFolder(): Promise<string | null>;
  /** Shows a folder in the system's file manager. */
  revealFolder(path: string): Promise<void>;
  /**
   * Says that the agent's settings have changed: the desktop reads them and does what they say (start at log-in,
   * appearance, language). Rejects when the system refuses.
   */
  applySettings(): Promise<void>;
  /** Says how full the battery is, 0 to 1, or null where there is none: only a page can know. */
  reportBattery(level: number | null): Promise<void>;
}

/**
 * What only a desktop can do, given to the page by the desktop app's preload as `window.longshore`.
 * In a plain browser it is absent, and the page offers what works everywhere.
 */
export interface DesktopBridge extends DesktopCalls {
  /** The absolute path of a file or folder that was dropped or chosen; empty for one that is on no disk. */
  pathOf(file: File): string;
  /** Calls the listener with a place of this page (`#/…`) when the desktop leads there: a tray, a menu, a deep link. */
  onGo(listener: (place: string) => void): void;
}

declare global {
  interface Window {
    readonly longshore?: DesktopBridge;
  }
}

export function desktopBridge(): DesktopBridge | null {
  return window.longshore ?? null;
}
