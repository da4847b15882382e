import type { AgentClient } from '#client/agent.ts';
import { enterPlace } from '#protocol/agent/page-entry.ts';
import type { TokenStore } from './token.ts';

/** The parts of a window with the page's address. */
type EntryWindow = Pick<Window, 'location' | 'history'>;

/**
 * Handles a single-use address (`#/enter?code=…&to=…`): removes the code from the address and the browser's history,
 * trades it for the tab's token, and opens the target route. A used code has no effect: the page then asks for the
 * token.
 */
export async function enterPage(client: Pick<AgentClient, 'call'>, token: TokenStore, page: EntryWindow): Promise<void> {
  const { hash, pathname } = page.location;
  if (!hash.startsWith(`${enterPlace}?`)) return;
  const query = new URLSearchParams(hash.slice(enterPlace.length + 1));
  const to = query.get('to') ?? '';
  page.history.replaceState(null, '', `${pathname}${to.startsWith('#/') ? to : ''}`);
  try {
    const entered = await client.call('enterPage', { body: { code: query.get('code') ?? '' } });
    token.set(entered.token);
  } catch {
    // The page's first call reports the problem.
  }
}
