import type { App, BrowserWindow } from 'electron';

/** This many times within this many milliseconds a page that died is loaded again; then it is left alone. */
const bound = { times: 3, milliseconds: 60_000 };

/** Whether a page that has died at these moments (milliseconds, ascending) may be loaded once more. */
export function mayReload(deaths: readonly number[], now: number): boolean {
  return deaths.filter((at) => now - at < bound.milliseconds).length <= bound.times;
}

/**
 * Loads a page again whose process has died. The agent is in another process and goes on all the while; a page that
 * dies again and again is left as it is, and the person is told.
 */
export function reviveWindow(
  window: Pick<BrowserWindow, 'webContents' | 'isDestroyed'>,
  parts: { readonly now: () => number; readonly complain: (line: string) => void; readonly giveUp: () => void; readonly load: () => void },
): void {
  const deaths: number[] = [];
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    deaths.push(parts.now());
    parts.complain(`The window's process ended: ${reason}, exit code ${exitCode}.\n`);
    if (mayReload(deaths, parts.now())) parts.load();
    else parts.giveUp();
  });
}

/** Writes down helpers of Electron that end (graphics, network); Electron starts them again by itself. */
export function noteChildDeaths(app: Pick<App, 'on'>, complain: (line: string) => void): void {
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    if (reason !== 'clean-exit') complain(`A helper process ended: ${name ?? type}, ${reason}, exit code ${exitCode}.\n`);
  });
}
