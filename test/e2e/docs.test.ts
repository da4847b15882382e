import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { docsPage, docsStyle } from '#protocol/docs.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { colourRules } from '#test/support/browser/looks.ts';
import { firstOf } from '#test/support/level.ts';
import { axeFindings } from '../support/browser/axe.ts';
import { openPage } from '../support/browser/chromium.ts';

const info = { title: 'Longshore', version: '0.1.0', description: 'For tests.', serverUrl: 'http://127.0.0.1:8080', idempotencyKeys: true };
/** One route of each shape: axe looks at every element, which takes half a minute for all routes. */
const { createPortal, createConnection, pollStorageGateway, openLink, listTeamPackages } = hostedRoutes;
const pages: Readonly<Record<string, string>> = {
  '/hosted': docsPage(hostedRoutes, info),
  '/agent': docsPage(agentRoutes, { ...info, bearerToken: 'Beyond this machine.' }),
  '/few': docsPage({ createPortal, createConnection, pollStorageGateway, openLink, listTeamPackages }, info),
};

let server: Server;
let url: string;

describeInBrowser('the reference page in a browser', (browserOf) => {
  beforeAll(async () => {
    server = createServer((request, response) => {
      const page = pages[request.url ?? ''];
      if (page)
        response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'self'").setHeader('Content-Type', 'text/html');
      else response.setHeader('Content-Type', 'text/css');
      response.end(page ?? (request.url === '/docs.css' ? docsStyle : ''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  const widths = { wide: { width: 1400, height: 900 }, narrow: { width: 360, height: 740 } } as const;

  it.each(
    firstOf([
      ['/hosted', 'narrow', 'dark'],
      ['/hosted', 'wide', 'light'],
      ['/agent', 'narrow', 'light'],
    ] as const),
  )('shows %s (%s, %s) under a strict policy, without scrolling sideways', async (path, width, colorScheme) => {
    const opened = await openPage(browserOf(), `${url}${path}`, { viewport: widths[width], colorScheme });
    expect(await opened.page.evaluate('getComputedStyle(document.querySelector("nav")).position')).toBe(
      width === 'wide' ? 'sticky' : 'static',
    );
    expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBe(widths[width].width);
    expect(opened.complaints).toEqual([]);
    expect([...opened.hosts]).toEqual([new URL(url).host]);
    await opened.close();
  });

  it('has nothing that axe complains of, in either theme', async () => {
    const { page, close } = await openPage(browserOf(), `${url}/few`, { viewport: widths.wide, colorScheme: 'light' });
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFindings(page, colourRules)).toEqual([]);
    await close();
  });

  it('goes to an endpoint from the contents', async () => {
    const { page, close } = await openPage(browserOf(), `${url}/hosted`, { viewport: widths.wide });
    await page.click('nav a[href="#createFile"]');
    const top = await page.evaluate('document.getElementById("createFile").getBoundingClientRect().top');
    expect(Math.abs(Number(top))).toBeLessThan(widths.wide.height / 2);
    await close();
  });
});
