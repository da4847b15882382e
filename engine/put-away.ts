import type { AgentSettings } from './settings.ts';

/**
 * Forgets that warnings were put away which are said no more: putting one away is for as long as its fact is there. When it
 * comes back, it is news. Those said at each start, as of a machine without a keychain, stay put away.
 *
 * @param mayBeSaid whether a warning may be said yet, as nobody has looked since the start
 */
export async function forgetPutAway(
  settings: AgentSettings,
  said: readonly string[],
  mayBeSaid: (warning: string) => boolean,
): Promise<void> {
  const before = settings.current().dismissed_warnings;
  const still = before.filter((warning) => said.includes(warning) || mayBeSaid(warning));
  if (still.length < before.length) await settings.update({ dismissed_warnings: still });
}
