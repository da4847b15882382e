import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium, launchChromium, noChromium, openPage } from '#test/support/chromium.ts';
import { startHttpServer, type TestServer } from '#test/support/http-server.ts';

const title = 'a profile that is used again has no past';

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  if (!findChromium()) return;
  server = await startHttpServer((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Here'));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** What a page finds of earlier ones, wherever it can leave something. */
const findings = (page: Page) =>
  page.evaluate(async () => {
    const files: string[] = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
    return {
      files,
      local: Object.keys(localStorage),
      session: Object.keys(sessionStorage),
      databases: (await indexedDB.databases()).map(({ name }) => name),
      caches: await caches.keys(),
      cookies: document.cookie,
      clipboard: (await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })).state,
      online: navigator.onLine,
      window: 'left' in window,
    };
  });

it.skipIf(!findChromium())(findChromium() ? title : `${title} (${noChromium})`, async () => {
  const first = await openPage(browser, server.url);
  const nothing = await findings(first.page);
  expect(nothing).toMatchObject({ files: [], local: [], session: [], databases: [], caches: [], cookies: '', online: true, window: false });
  await first.page.addInitScript(() => Object.assign(window, { left: 1 }));
  await first.page.context().grantPermissions(['clipboard-read']);
  const second = await first.page.context().newPage();
  for (const page of [first.page, second]) {
    await page.goto(server.url);
    await page.evaluate(async () => {
      await (await navigator.storage.getDirectory()).getDirectoryHandle('left', { create: true });
      localStorage.setItem('left', '1');
      sessionStorage.setItem('left', '1');
      await caches.open('left');
      await new Promise((done) => {
        indexedDB.open('left').onsuccess = done;
      });
    });
  }
  await first.page.context().addCookies([{ name: 'left', value: '1', url: server.url }]);
  expect(await findings(first.page)).toEqual({
    files: ['left'],
    local: ['left'],
    session: ['left'],
    databases: ['left'],
    caches: ['left'],
    cookies: 'left=1',
    clipboard: 'granted',
    online: true,
    window: true,
  });
  await first.page.context().setOffline(true);
  await first.close();

  const again = await openPage(browser, server.url);
  expect(again.page.context()).toBe(first.page.context());
  expect(again.page.context().pages()).toHaveLength(1);
  expect(await findings(again.page)).toEqual(nothing);
  // Another look is another profile.
  const other = await openPage(browser, server.url, { colorScheme: 'dark' });
  expect(other.page.context()).not.toBe(again.page.context());
  expect(browser.contexts()).toHaveLength(2);
});
