import type { AgentSettings } from './settings.ts';

/**
 * Forgets that warnings were put away which are said no more: putting one away is for as long as its fact is there. When it
 * comes back, it is news. Those said at each start, as of a machine without a keychain, stay put away.
 */
export async function forgetPutAway(settings: AgentSettings, said: readonly string[]): Promise<void> {
  const before = settings.current().dismissed_warnings;
  const still = before.filter((warning) => said.includes(warning));
  if (still.length < before.length) await settings.update({ dismissed_warnings: still });
}
