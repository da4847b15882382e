import type { Page } from 'playwright-core';
import type { FakeAgent, FakeAgentOptions } from '#test/support/browser/fake-agent.ts';

/** A face of the agent's page: how the agent stands, and what to do to get there. */
export interface Scene {
  readonly name: string;
  readonly agent: Omit<FakeAgentOptions, 'gui'>;
  /** Called before the page opens. */
  readonly prepare?: (agent: FakeAgent) => void;
  /** Called once the page stands. */
  readonly act?: (page: Page, agent: FakeAgent) => Promise<void>;
  /** A text that is there when the scene is. */
  readonly shows: string;
}
