import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import { startTestService, type TestService } from '../service/start-service.ts';
import { tempFolder } from '../system/temp-folder.ts';
import { buildPages } from './built-pages.ts';
import { openPage, type WatchedPage } from './chromium.ts';

/** A real agent that is signed in to a real service, over a folder of its own, and its page. */
export interface RealAgentPage {
  readonly service: TestService;
  readonly agent: RunningAgent;
  readonly watched: WatchedPage;
  readonly page: Page;
  /** A path in the folder of the test, which is the agent's only allowed one. */
  readonly at: (...names: string[]) => string;
  close(): Promise<void>;
}

/**
 * @param hash of the page that is opened
 * @param prepare called before the agent starts
 */
export async function openRealAgentPage(
  browser: Browser,
  hash: string,
  prepare: (made: Pick<RealAgentPage, 'at' | 'service'>) => Promise<void> | void,
): Promise<RealAgentPage> {
  const folder = await tempFolder();
  const at: RealAgentPage['at'] = (...names) => join(folder.path, ...names);
  const [pages, service] = await Promise.all([buildPages('renderer'), startTestService({ processes: 1 })]);
  await prepare({ at, service });
  const agent = await startAgent({
    dataDir: at('agent'),
    serviceUrl: service.url,
    apiKey: service.apiKey,
    listen: { host: '127.0.0.1', port: 0 },
    guiDir: pages.folder,
    allowedRoots: [folder.path],
  });
  const watched = await openPage(browser, `${agent.url}/${hash}`, { viewport: { width: 1_440, height: 1_000 }, reducedMotion: 'reduce' });
  const { page } = watched;
  page.setDefaultTimeout(30_000);
  return {
    service,
    agent,
    watched,
    page,
    at,
    async close() {
      await agent.close();
      await service.close();
      await folder.remove();
    },
  };
}
