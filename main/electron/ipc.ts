import { isAbsolute } from 'node:path';
import type { IpcMain, IpcMainInvokeEvent, OpenDialogOptions, OpenDialogReturnValue } from 'electron';
import type { DesktopCalls } from '#renderer/desktop/bridge.ts';
import { type ChannelName, channels } from './channels.ts';
import type { DesktopMessages } from './messages.ts';

/** Desktop functions that the bridge needs. */
export interface DesktopPorts {
  /** Shows the system's file dialog above the window. */
  openDialog(options: OpenDialogOptions): Promise<OpenDialogReturnValue>;
  /** Shows a path in the file manager. Never opens the path itself: it can be a program. */
  showInFolder(path: string): void;
  applySettings(): void;
  /** Records the battery level, 0 to 1; null where there is no battery. */
  noteBattery(level: number | null): void;
  readonly messages: () => DesktopMessages;
}

/** A call that was not sent by our own page. The caller gets no further detail. */
class ForeignSenderError extends Error {
  override readonly name = 'ForeignSenderError';
  readonly code = 'foreign_sender';
  readonly retryable = false;

  constructor() {
    super('Only the page of this agent may call the desktop.');
  }
}

/** Whether a call was sent by the top frame of a page of this origin. A closed frame has no address. */
export function isOwnPage(event: Pick<IpcMainInvokeEvent, 'senderFrame'>, origin: string): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame.parent === null && URL.parse(frame.url)?.origin === origin;
}

/** Implementations of the bridge's functions. Arguments are sent by a page, so their types are checked. */
export function bridgeHandlers(ports: DesktopPorts): {
  readonly [Name in ChannelName]: (...args: unknown[]) => ReturnType<DesktopCalls[Name]>;
} {
  return {
    async pickPaths() {
      // On Windows and Linux a dialog selects either files or folders, never both. Files are the more common choice.
      const both = process.platform === 'darwin';
      const { canceled, filePaths } = await ports.openDialog({
        title: ports.messages().pickPaths,
        buttonLabel: ports.messages().choose,
        properties: ['openFile', 'multiSelections', ...(both ? (['openDirectory'] as const) : [])],
      });
      return canceled ? [] : filePaths;
    },
    async pickFolder() {
      const { canceled, filePaths } = await ports.openDialog({
        title: ports.messages().pickFolder,
        buttonLabel: ports.messages().choose,
        properties: ['openDirectory', 'createDirectory'],
      });
      return canceled ? null : (filePaths[0] ?? null);
    },
    async revealFolder(path) {
      if (typeof path !== 'string' || path.length > 32_767 || path.includes('\0') || !isAbsolute(path)) {
        throw new TypeError('revealFolder takes an absolute path.');
      }
      ports.showInFolder(path);
    },
    async applySettings() {
      ports.applySettings();
    },
    async reportBattery(level) {
      if (level !== null && !(typeof level === 'number' && level >= 0 && level <= 1)) {
        throw new TypeError('reportBattery takes a number from 0 to 1, or null.');
      }
      ports.noteBattery(level);
    },
  };
}

/** Handles the page's calls. Each handler checks the sender. */
export function answerPage(ipc: Pick<IpcMain, 'handle'>, origin: string, ports: DesktopPorts): void {
  const handlers = bridgeHandlers(ports);
  for (const name of Object.keys(channels) as ChannelName[]) {
    ipc.handle(channels[name], async (event, ...args: unknown[]) => {
      if (!isOwnPage(event, origin)) throw new ForeignSenderError();
      return handlers[name](...args);
    });
  }
}
