import { isAbsolute } from 'node:path';
import type { IpcMain, IpcMainInvokeEvent, OpenDialogOptions, OpenDialogReturnValue } from 'electron';
import type { DesktopCalls } from '#renderer/desktop/bridge.ts';
import { type ChannelName, channels } from './channels.ts';
import type { DesktopWords } from './words.ts';

/** What the bridge's functions need of the desktop. */
export interface DesktopPorts {
  /** Shows the system's dialog above the window. */
  openDialog(options: OpenDialogOptions): Promise<OpenDialogReturnValue>;
  /** Shows a path in the file manager. Never opens it: a path can be a program. */
  showInFolder(path: string): void;
  applySettings(): void;
  /** How full the battery is, 0 to 1; null where there is none. */
  noteBattery(level: number | null): void;
  readonly words: () => DesktopWords;
}

/** A call that came from somewhere else than our own page. It says nothing to the caller but that. */
export class ForeignSenderError extends Error {
  override readonly name = 'ForeignSenderError';
  readonly code = 'foreign_sender';
  readonly retryable = false;

  constructor() {
    super('Only the page of this agent may call the desktop.');
  }
}

/** Whether a call comes from the top frame of a page of this origin. A frame that is gone has no address. */
export function isOwnPage(event: Pick<IpcMainInvokeEvent, 'senderFrame'>, origin: string): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame.parent === null && URL.parse(frame.url)?.origin === origin;
}

/** The bridge's functions on this side. Arguments come from a page, so their types are checked. */
export function bridgeHandlers(ports: DesktopPorts): {
  readonly [Name in ChannelName]: (...args: unknown[]) => ReturnType<DesktopCalls[Name]>;
} {
  return {
    async pickPaths() {
      // On Windows and Linux a dialog shows files or folders, never both; files are the commoner wish there.
      const both = process.platform === 'darwin';
      const { canceled, filePaths } = await ports.openDialog({
        title: ports.words().pickPaths,
        buttonLabel: ports.words().choose,
        properties: ['openFile', 'multiSelections', ...(both ? (['openDirectory'] as const) : [])],
      });
      return canceled ? [] : filePaths;
    },
    async pickFolder() {
      const { canceled, filePaths } = await ports.openDialog({
        title: ports.words().pickFolder,
        buttonLabel: ports.words().choose,
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

/** Answers the page's calls. Each checks who is calling. */
export function answerPage(ipc: Pick<IpcMain, 'handle'>, origin: string, ports: DesktopPorts): void {
  const handlers = bridgeHandlers(ports);
  for (const name of Object.keys(channels) as ChannelName[]) {
    ipc.handle(channels[name], async (event, ...args: unknown[]) => {
      if (!isOwnPage(event, origin)) throw new ForeignSenderError();
      return handlers[name](...args);
    });
  }
}
