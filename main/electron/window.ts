import type { BrowserWindowConstructorOptions, Session, WebContents } from 'electron';
import { minimumSize, type WindowBounds } from './window-bounds.ts';

/** Options of the app's window: a plain, sandboxed browser page of the agent without further rights. */
export function windowOptions(preload: string, icon: string, dark: boolean, bounds: WindowBounds): BrowserWindowConstructorOptions {
  return {
    title: 'Longshore',
    width: bounds.width,
    height: bounds.height,
    ...(bounds.x === undefined || bounds.y === undefined ? {} : { x: bounds.x, y: bounds.y }),
    minWidth: minimumSize.width,
    minHeight: minimumSize.height,
    show: false,
    icon,
    // The page's own background color, so that nothing flashes before the first paint.
    backgroundColor: dark ? '#0f171b' : '#f5f6f4',
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  };
}

type Guarded = Pick<WebContents, 'on' | 'setWindowOpenHandler'>;

/**
 * Restricts the window to the agent's page: no other address, no second window, no embedded page. What a link opens in a
 * second one, such as the service's console, opens in the system's browser.
 */
export function guardNavigation(contents: Guarded, origin: string, openOutside: (url: string) => void): void {
  const stay = (event: { preventDefault(): void }, address: string): void => {
    if (URL.parse(address)?.origin !== origin) event.preventDefault();
  };
  contents.on('will-navigate', (event) => stay(event, event.url));
  contents.on('will-redirect', (event) => stay(event, event.url));
  contents.on('will-frame-navigate', (event) => stay(event, event.url));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    // Other schemes start programs.
    const address = URL.parse(url);
    if (address?.protocol === 'https:' || address?.protocol === 'http:') openOutside(address.href);
    return { action: 'deny' };
  });
}

type Permitting = Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>;

/** The page may write to the clipboard (to copy a link). Camera, location, devices and all others are denied. */
export function guardPermissions(session: Permitting, origin: string): void {
  const allowed = (permission: string, address: string): boolean =>
    permission === 'clipboard-sanitized-write' && URL.parse(address)?.origin === origin;
  session.setPermissionRequestHandler((contents, permission, answer) => answer(allowed(permission, contents.getURL())));
  session.setPermissionCheckHandler((_contents, permission, requester) => allowed(permission, requester));
  session.setDevicePermissionHandler(() => false);
}
