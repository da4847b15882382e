import type { ProviderName } from '#protocol/providers.ts';
import type { Language } from '#ui/locale.ts';
import { setupPageOf, setupTextOf } from './pages.ts';

/** The pages of `docs/` that say what to set up; each is a part of its own, loaded when it is shown. */
const pages = import.meta.glob<string>(
  ['../../../docs/connections.md', '../../../docs/gateway.md', '../../../docs/connections/*.md', '../../../docs/connections/de/*.md'],
  { query: '?raw', import: 'default' },
);

/** What to set up at a provider, as Markdown. */
export async function loadSetup(provider: ProviderName, language: Language): Promise<string> {
  const load = pages[`../../../docs/${setupPageOf(provider, language).file}`];
  if (!load) throw new Error(`There is no page on ${provider}.`);
  return setupTextOf(provider, language, await load());
}
