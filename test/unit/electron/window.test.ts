import { describe, expect, it } from 'vitest';
import { guardNavigation, guardPermissions, windowOptions } from '#main/electron/window.ts';
import { defaultBounds } from '#main/electron/window-bounds.ts';

const origin = 'http://127.0.0.1:8090';

it('the window has the rights of a browser page and no more', () => {
  expect(windowOptions('/preload.cjs', '/icon.png', false, defaultBounds).webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
  });
});

describe('guardNavigation', () => {
  const listeners = new Map<string, (event: { url: string; preventDefault(): void }) => void>();
  let opening: ((details: { url: string }) => { action: string }) | null = null;
  const outside: string[] = [];
  const contents = {
    on: (name: string, listener: never) => listeners.set(name, listener),
    setWindowOpenHandler: (handler: never) => {
      opening = handler;
    },
  };
  guardNavigation(contents as unknown as Parameters<typeof guardNavigation>[0], origin, (url) => void outside.push(url));
  const goes = (name: string, url: string): boolean => {
    let stopped = false;
    listeners.get(name)!({
      url,
      preventDefault() {
        stopped = true;
      },
    });
    return !stopped;
  };

  it.each(['will-navigate', 'will-redirect', 'will-frame-navigate'])('%s stays with the agent', (name) => {
    expect(goes(name, `${origin}/`)).toBe(true);
    for (const url of [
      'https://evil.example/',
      'http://127.0.0.1:8091/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/html,x',
      '',
    ]) {
      expect(goes(name, url)).toBe(false);
    }
  });

  it('opens no second window and embeds no page', () => {
    expect(opening!({ url: `${origin}/` })).toEqual({ action: 'deny' });
    expect(goes('will-attach-webview', `${origin}/`)).toBe(false);
  });

  it('leaves pages of the web to the system, and nothing else', () => {
    outside.length = 0;
    const pages = ['https://share.example.com/profile', 'http://127.0.0.1:8080/sso/app?state=1'];
    for (const url of [...pages, 'file:///etc/passwd', 'javascript:alert(1)', 'smb://host/share', 'ms-msdt:/id', ''])
      expect(opening!({ url })).toEqual({ action: 'deny' });
    expect(outside).toEqual(pages);
  });
});

describe('guardPermissions', () => {
  type Session = Parameters<typeof guardPermissions>[0];
  const set = new Map<string, unknown>();
  guardPermissions(
    {
      setPermissionRequestHandler: (handler: never) => void set.set('request', handler),
      setPermissionCheckHandler: (handler: never) => void set.set('check', handler),
      setDevicePermissionHandler: (handler: never) => void set.set('device', handler),
    } as Session,
    origin,
  );
  const call = (name: string, ...args: unknown[]): unknown => (set.get(name) as (...given: unknown[]) => unknown)(...args);
  const requested = (permission: string, url: string): unknown => {
    let answer: unknown;
    call('request', { getURL: () => url }, permission, (given: unknown) => {
      answer = given;
    });
    return answer;
  };

  it.each([
    ['clipboard-sanitized-write', `${origin}/`, true],
    ['clipboard-sanitized-write', 'https://evil.example/', false],
    ['clipboard-read', `${origin}/`, false],
    ['media', `${origin}/`, false],
    ['geolocation', `${origin}/`, false],
    ['notifications', `${origin}/`, false],
    ['openExternal', `${origin}/`, false],
  ])('%s of %s: %s', (permission, url, allowed) => {
    expect(requested(permission, url)).toBe(allowed);
    expect(call('check', null, permission, url)).toBe(allowed);
  });

  it('gives no device', () => {
    expect(call('device', {})).toBe(false);
  });
});
