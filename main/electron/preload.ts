import { contextBridge, ipcRenderer } from 'electron';
import type { DesktopBridge } from '#renderer/desktop/bridge.ts';
import { channels } from './channels.ts';

/** Runs sandboxed before the page and gives it the bridge, and nothing else of Electron or Node. */
const bridge: DesktopBridge = {
  pickPaths: () => ipcRenderer.invoke(channels.pickPaths),
  pickFolder: () => ipcRenderer.invoke(channels.pickFolder),
  revealFolder: (path) => ipcRenderer.invoke(channels.revealFolder, path),
};

contextBridge.exposeInMainWorld('longshore', bridge);
