import type { MenuItemConstructorOptions } from 'electron';
import { places } from './places.ts';
import type { DesktopWords } from './words.ts';

export interface MenuActions {
  /** Navigates to a page route. */
  go(place: string): void;
  quit(): void;
}

/**
 * The application menu in each platform's convention: on macOS the app menu first and a window menu; elsewhere
 * everything of the app is under "File". Developer tools are only in unpackaged apps.
 */
export function appMenu(
  { platform, packaged }: { readonly platform: NodeJS.Platform; readonly packaged: boolean },
  words: DesktopWords,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin';
  const settings: MenuItemConstructorOptions = {
    label: words.settings,
    accelerator: 'CommandOrControl+,',
    click: () => actions.go(places.settings),
  };
  const about: MenuItemConstructorOptions = { label: words.about, click: () => actions.go(places.about) };
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const app: MenuItemConstructorOptions = {
    role: 'appMenu',
    submenu: [
      about,
      separator,
      settings,
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  };
  const file: MenuItemConstructorOptions = {
    label: words.file,
    submenu: [
      { label: words.send, accelerator: 'CommandOrControl+O', click: () => actions.go(places.send) },
      { label: words.get, accelerator: 'CommandOrControl+Shift+O', click: () => actions.go(places.get) },
      separator,
      ...(mac ? [] : [settings, separator]),
      { role: 'close' },
      ...(mac ? [] : [{ label: words.quit, accelerator: 'CommandOrControl+Q', click: () => actions.quit() }]),
    ],
  };
  const edit: MenuItemConstructorOptions = {
    label: words.edit,
    submenu: [
      { role: 'undo' },
      { role: 'redo' },
      separator,
      { role: 'cut' },
      { role: 'copy' },
      { role: 'paste' },
      { role: 'delete' },
      separator,
      { role: 'selectAll' },
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: words.view,
    submenu: [
      { label: words.transfers, accelerator: 'CommandOrControl+1', click: () => actions.go(places.transfers) },
      { label: words.history, accelerator: 'CommandOrControl+2', click: () => actions.go(places.history) },
      separator,
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      separator,
      { role: 'togglefullscreen' },
      ...(packaged ? [] : [separator, { role: 'reload' } as const, { role: 'toggleDevTools' } as const]),
    ],
  };
  const help: MenuItemConstructorOptions = { role: 'help', label: words.help, submenu: [about] };
  return mac ? [app, file, edit, view, { role: 'windowMenu' }, help] : [file, edit, view, help];
}
