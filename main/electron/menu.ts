import type { MenuItemConstructorOptions } from 'electron';
import type { DesktopMessages } from './messages.ts';
import { pageRoutes } from './page-routes.ts';

interface MenuActions {
  /** Navigates to a page route. */
  go(route: string): void;
  quit(): void;
}

/**
 * The application menu in each platform's convention: on macOS the app menu first and a window menu; elsewhere
 * everything of the app is under "File". Developer tools are only in unpackaged apps.
 */
export function appMenu(
  { platform, packaged }: { readonly platform: NodeJS.Platform; readonly packaged: boolean },
  messages: DesktopMessages,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin';
  const settings: MenuItemConstructorOptions = {
    label: messages.settings,
    accelerator: 'CommandOrControl+,',
    click: () => actions.go(pageRoutes.settings),
  };
  const about: MenuItemConstructorOptions = { label: messages.about, click: () => actions.go(pageRoutes.about) };
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
    label: messages.file,
    submenu: [
      { label: messages.send, accelerator: 'CommandOrControl+O', click: () => actions.go(pageRoutes.send) },
      { label: messages.get, accelerator: 'CommandOrControl+Shift+O', click: () => actions.go(pageRoutes.get) },
      separator,
      ...(mac ? [] : [settings, separator]),
      { role: 'close' },
      ...(mac ? [] : [{ label: messages.quit, accelerator: 'CommandOrControl+Q', click: () => actions.quit() }]),
    ],
  };
  const edit: MenuItemConstructorOptions = {
    label: messages.edit,
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
    label: messages.view,
    submenu: [
      { label: messages.transfers, accelerator: 'CommandOrControl+1', click: () => actions.go(pageRoutes.transfers) },
      { label: messages.automations, accelerator: 'CommandOrControl+2', click: () => actions.go(pageRoutes.automations) },
      { label: messages.history, accelerator: 'CommandOrControl+3', click: () => actions.go(pageRoutes.history) },
      separator,
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      separator,
      { role: 'togglefullscreen' },
      ...(packaged ? [] : [separator, { role: 'reload' } as const, { role: 'toggleDevTools' } as const]),
    ],
  };
  const help: MenuItemConstructorOptions = { role: 'help', label: messages.help, submenu: [about] };
  return mac ? [app, file, edit, view, { role: 'windowMenu' }, help] : [file, edit, view, help];
}
