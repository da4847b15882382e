import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, expect } from 'vitest';
import { buildPages } from './built-pages.ts';
import { openPage, type WatchedPage } from './chromium.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { FakeAgent, type FakeAgentOptions } from './fake-agent.ts';

export type AgentOptions = Omit<FakeAgentOptions, 'gui'>;

export interface PageOptions extends BrowserContextOptions {
  /** Called before the agent starts. */
  readonly prepare?: ((agent: FakeAgent) => void) | undefined;
  /** What follows the agent's address, e.g. `#/transfers/t1`. */
  readonly path?: string;
}

export interface AgentPages {
  readonly browser: Browser;
  /** The folder of the built page. */
  readonly gui: string;
  /** Opens the page of a new fake agent. After the test both are closed; the page must have complained of nothing and talked to its agent only. */
  open(agent?: AgentOptions, page?: PageOptions): Promise<{ readonly agent: FakeAgent; readonly page: Page }>;
}

/** What a page has asked its agent to do by these calls, in their order. */
export const sentBodies = (agent: FakeAgent, method: string, path: string): unknown[] =>
  agent.calls.filter((call) => call.method === method && call.path === `/api/v1${path}`).map(({ body }) => body);

/** Tests of the agent's page against fake agents; `usual` is what each has unless its test says otherwise. */
export function describeAgentPage(
  title: string,
  usual: AgentOptions & Pick<BrowserContextOptions, 'viewport'>,
  tests: (pages: AgentPages) => void,
): void {
  const { viewport, ...usualAgent } = usual;
  describeInBrowser(title, (browserOf) => {
    let gui = '';
    /** Each agent listens where the last one did: Chromium keeps what it has compiled of a page by its address. */
    let port = 0;
    const opened: { agent: FakeAgent; watched: WatchedPage }[] = [];

    beforeAll(async () => {
      gui = (await buildPages('renderer')).folder;
    });
    afterEach(async () => {
      for (const { agent, watched } of opened.splice(0)) {
        await watched.close();
        await agent.stop();
        expect(watched.complaints).toEqual([]);
        expect([...watched.hosts]).toEqual([new URL(agent.url).host]);
      }
    });

    tests({
      get browser() {
        return browserOf();
      },
      get gui() {
        return gui;
      },
      async open(options = {}, { prepare, path = '', ...look } = {}) {
        const agent = new FakeAgent({ gui, port, ...usualAgent, ...options });
        prepare?.(agent);
        await agent.start();
        port = Number(new URL(agent.url).port);
        const watched = await openPage(browserOf(), `${agent.url}${path}`, { ...(viewport ? { viewport } : {}), ...look });
        opened.push({ agent, watched });
        return { agent, page: watched.page };
      },
    });
  });
}
