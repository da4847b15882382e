import { EventEmitter } from 'node:events';

/**
 * Stands in for the `electron` module where its binary cannot run: ready at once, first of its kind, and without
 * windows. Enough for the bundled app to start its agent headless and to end in good order.
 */
class App extends EventEmitter {
  readonly isPackaged = true;
  requestSingleInstanceLock(): boolean {
    return true;
  }
  setPath(): void {}
  async whenReady(): Promise<void> {}
  quit(): void {
    let prevented = false;
    this.emit('before-quit', {
      preventDefault() {
        prevented = true;
      },
    });
    if (!prevented) this.exit(0);
  }
  exit(code = 0): void {
    process.exit(code);
  }
}

export const app = new App();
export class BrowserWindow {
  constructor() {
    throw new Error('A headless app opened a window.');
  }
}
export const dialog = { showErrorBox: (title: string, text: string) => process.stderr.write(`${title}: ${text}\n`) };
export const ipcMain = { handle() {} };
export const nativeTheme = { shouldUseDarkColors: false };
export const session = {
  defaultSession: { setPermissionRequestHandler() {}, setPermissionCheckHandler() {}, setDevicePermissionHandler() {} },
};
export const shell = {};
export const crashReporter = { start() {} };
/** What only an app with windows uses; the bundle names it all the same. */
export const [Menu, Notification, powerMonitor, powerSaveBlocker, screen, Tray] = Array.from({ length: 6 }, () => ({}));
export { utilityProcess } from './utility-process.ts';
