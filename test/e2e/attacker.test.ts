import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import { findChromium, launchChromium, noChromium } from '../support/browser/chromium.ts';
import { startHttpServer, type TestServer } from '../support/system/http-server.ts';
import { tempFolder } from '../support/system/temp-folder.ts';

/**
 * A web page that a person happens to have open attacks the agent on the same machine, from a real browser: by every
 * way that a page has of sending a request elsewhere, and by DNS rebinding. Each attempt has to reach the agent, be
 * refused there, change nothing, and tell the page nothing.
 */

const attackerPage = fileURLToPath(new URL('../support/browser/attacker-page.js', import.meta.url));
const here = findChromium() !== null;

describe.skipIf(!here)(here ? 'a page of another origin' : noChromium, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let agent: RunningAgent;
  let evil: TestServer;
  let browser: Browser;
  let page: Page;
  let port: string;

  beforeAll(async () => {
    vi.stubEnv('LONGSHORE_VAULT_KEY', 'a key for tests alone');
    folder = await tempFolder();
    // No service answers there: what an attack would begin would fail later, and count all the same.
    agent = await startAgent({
      dataDir: folder.path,
      serviceUrl: 'http://127.0.0.1:9',
      listen: { host: '127.0.0.1', port: 0 },
    });
    port = new URL(agent.url).port;
    evil = await startHttpServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Kittens</title><body></body>');
    });
    browser = await launchChromium([
      // What a rebinding name server does: the attacker's name leads to this machine.
      '--host-resolver-rules=MAP evil.example 127.0.0.1',
      // Newer browsers keep pages of the web from this machine by themselves. The agent does not count on it.
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights',
    ]);
    page = await (await browser.newContext()).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await evil?.close();
    await agent?.close();
    await folder?.remove();
    vi.unstubAllEnvs();
  });

  const evilUrl = (host: string) => `http://${host}:${new URL(evil.url).port}/`;

  /** All that an attack could have changed. */
  const state = async () => ({
    settings: agent.engine.settings.current(),
    limits: [agent.engine.rateLimits.get('upload'), agent.engine.rateLimits.get('download')],
    tokens: agent.engine.tokens.list(),
    transfers: (await agent.engine.transfers.list('all', { page: 1, limit: 10 })).total,
    paused: agent.engine.status().paused,
  });

  /** How many calls were answered or refused so far, by the agent's own count. */
  async function counted(): Promise<{ refused: number; answered: number }> {
    const text = await (await fetch(`${agent.url}/metrics`)).text();
    const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((all, [, count]) => all + Number(count), 0);
    return {
      refused: sum(/^longshore_agent_call_errors_total\{error="(?:unknown_host|foreign_origin)"\} (\d+)$/gm),
      answered: sum(/^longshore_agent_calls_total\{status="2\d\d"\} (\d+)$/gm),
    };
  }

  /** Runs every attempt of the attacker's page; gives those that learned something, with what. */
  async function attack(bases: readonly string[]): Promise<{ learned: readonly string[]; attempts: number }> {
    await page.addScriptTag({ path: attackerPage });
    return page.evaluate(async (bases) => {
      const { attack, attempts } = window as unknown as { attack: (bases: readonly string[]) => Promise<string[]>; attempts: number };
      return { learned: await attack(bases), attempts };
    }, bases);
  }

  it.each([
    ['on the web', 'evil.example'],
    ['of another program on this machine', 'localhost'],
  ])('%s learns and changes nothing, by no way', async (_, host) => {
    const before = { state: await state(), counted: await counted() };
    await page.goto(evilUrl(host));
    const bases = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    const { learned, attempts } = await attack(bases);
    expect(learned).toEqual([]);
    const after = { state: await state(), counted: await counted() };
    expect(after.state).toEqual(before.state);
    // Our own look at the metrics is the only call that was answered.
    expect(after.counted.answered - before.counted.answered).toBe(1);
    // Most reach the agent (a browser may keep one to itself, as after a refused preflight), and each is refused.
    expect(after.counted.refused - before.counted.refused).toBeGreaterThanOrEqual(bases.length * (attempts - 3));
  });

  it('that has rebound its name to this machine learns and changes nothing either', async () => {
    const before = { state: await state(), counted: await counted() };
    const base = `http://evil.example:${port}`;
    // The first answer came from the attacker's own server; from now on the same name and port are the agent.
    await page.route(`${base}/kittens`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Kittens</title><body></body>' }),
    );
    await page.goto(`${base}/kittens`);
    expect(await page.evaluate(() => location.origin)).toBe(base);
    const { learned, attempts } = await attack([base]);
    expect(learned).toEqual([]);
    const after = { state: await state(), counted: await counted() };
    expect(after.state).toEqual(before.state);
    expect(after.counted.answered - before.counted.answered).toBe(1);
    expect(after.counted.refused - before.counted.refused).toBeGreaterThanOrEqual(attempts - 3);
  });

  it('may lead a person to the pages by a link, and nowhere else', async () => {
    const status = async (path: string) => {
      const tab = await page.context().newPage();
      await tab.goto(evilUrl('evil.example'));
      await tab.evaluate((url) => {
        document.body.append(Object.assign(document.createElement('a'), { href: url, textContent: 'Kittens' }));
      }, agent.url + path);
      const [reply] = await Promise.all([tab.waitForResponse((response) => response.url() === agent.url + path), tab.click('a')]);
      await tab.close();
      return reply.status();
    };
    expect(await status('/docs')).toBe(200);
    expect(await status('/api/v1/status')).toBe(403);
  });

  it('could not be told from the agent’s own page, were it not for these rules', async () => {
    await page.goto(`${agent.url}/docs`);
    // The same attempts by the page itself work, so that what is refused above is refused for where it comes from.
    expect(await page.evaluate(() => fetch('/api/v1/status').then((reply) => reply.status))).toBe(200);
    const body = JSON.stringify({ order: agent.engine.settings.current().order });
    const put = (body: string) =>
      fetch('/api/v1/settings', { method: 'PUT', headers: { 'content-type': 'application/json' }, body }).then((reply) => reply.status);
    expect(await page.evaluate(put, body)).toBe(200);
  });
});
