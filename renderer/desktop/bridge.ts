/**
 * What only a desktop can do, given to the page by the desktop app's preload as `window.longshore`.
 * In a plain browser it is absent, and the page offers what works everywhere.
 */
export interface DesktopBridge {
  /** Lets the person choose files and folders to send. Absolute paths; empty when they changed their mind. */
  pickPaths(): Promise<string[]>;
  /** Lets the person choose a folder. Null when they changed their mind. */
  pickFolder(): Promise<string | null>;
  /** Shows a folder in the system's file manager. */
  revealFolder(path: string): Promise<void>;
}

declare global {
  interface Window {
    readonly longshore?: DesktopBridge;
  }
}

export function desktopBridge(): DesktopBridge | null {
  return window.longshore ?? null;
}
