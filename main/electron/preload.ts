import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { DesktopBridge } from '#renderer/desktop/bridge.ts';
import { channels, goChannel } from './channels.ts';

/** Runs sandboxed before the page. It exposes the bridge to the page, and nothing else of Electron or Node. */
const bridge: DesktopBridge = {
  pickPaths: () => ipcRenderer.invoke(channels.pickPaths),
  pickFolder: () => ipcRenderer.invoke(channels.pickFolder),
  revealFolder: (path) => ipcRenderer.invoke(channels.revealFolder, path),
  applySettings: () => ipcRenderer.invoke(channels.applySettings),
  reportBattery: (level) => ipcRenderer.invoke(channels.reportBattery, level),
  pathOf: (file) => webUtils.getPathForFile(file),
  onGo: (listener) => {
    // The event object is not passed on: it gives access to the sender.
    ipcRenderer.on(goChannel, (_event, route: string) => listener(route));
  },
};

contextBridge.exposeInMainWorld('longshore', bridge);
