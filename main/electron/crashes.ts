import type { App, BrowserWindow } from 'electron';

/** A crashed page is reloaded at most `times` within `milliseconds`; after that it is not reloaded. */
const bound = { times: 3, milliseconds: 60_000 };

/** Whether a page that crashed at these times (milliseconds, ascending) may be reloaded once more. */
export function mayReload(deaths: readonly number[], now: number): boolean {
  return deaths.filter((at) => now - at < bound.milliseconds).length <= bound.times;
}

/**
 * Reloads a page after its process has crashed. The agent is in another process and is not affected. After repeated
 * crashes the page is not reloaded, and the person is told.
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

/** Logs crashes of Electron's helper processes (graphics, network). Electron restarts them by itself. */
export function noteChildDeaths(app: Pick<App, 'on'>, complain: (line: string) => void): void {
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    if (reason !== 'clean-exit') complain(`A helper process ended: ${name ?? type}, ${reason}, exit code ${exitCode}.\n`);
  });
}
