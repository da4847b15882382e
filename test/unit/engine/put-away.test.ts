import { expect, it } from 'vitest';
import { forgetPutAway } from '#engine/put-away.ts';
import { type AgentSettings, defaultSettings } from '#engine/settings.ts';

function settingsWith(dismissed: string[]): AgentSettings & { readonly updates: unknown[] } {
  let now = { ...defaultSettings('/home/mia'), dismissed_warnings: dismissed };
  const updates: unknown[] = [];
  return {
    updates,
    current: () => now,
    async update(change) {
      updates.push(change);
      now = { ...now, ...change };
      return now;
    },
  };
}

it('keeps what is still said put away, and shows the rest when it comes back', async () => {
  const settings = settingsWith(['no keychain', 'key refused']);
  await forgetPutAway(settings, ['key refused', 'no keychain', 'another'], () => false);
  expect(settings.updates).toEqual([]);
  await forgetPutAway(settings, ['no keychain'], (warning) => warning === 'key refused');
  expect(settings.updates).toEqual([]);
  await forgetPutAway(settings, ['no keychain'], () => false);
  expect(settings.current().dismissed_warnings).toEqual(['no keychain']);
});
