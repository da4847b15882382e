import { type Provider, type ProviderName, providers } from '#protocol/providers.ts';
import type { Language } from '#ui/locale.ts';
import { sectionOf } from './markdown.ts';

const own: Partial<Record<ProviderName, string>> = {
  azure: 'azure',
  backblazeb2: 'backblaze-b2',
  box: 'box',
  frameio: 'frameio-legacy',
  frameio_v4: 'frameio',
  google_cloud_storage: 'google-cloud-storage',
  iconik: 'iconik',
  postlab: 'postlab',
};

/** The section on what speaks S3, of the page on all connections. */
export const s3Section = 'S3: Amazon and eight others';

/**
 * The page in `docs/` about a provider, and its section where it is not the whole. The German ones lie together, each a page of its
 * own; a test holds their form to the English.
 */
export function setupPageOf(name: ProviderName, language: Language): { readonly file: string; readonly section: string | null } {
  const provider: Provider = providers[name];
  if (language === 'de') return { file: `connections/de/${provider.gateway ? 'gateway' : (own[name] ?? 's3')}.md`, section: null };
  if (provider.gateway) return { file: 'gateway.md', section: null };
  const page = own[name];
  return page === undefined ? { file: 'connections.md', section: s3Section } : { file: `connections/${page}.md`, section: null };
}

/** What of its page is about a provider, as Markdown. */
export function setupTextOf(name: ProviderName, language: Language, page: string): string {
  const { section } = setupPageOf(name, language);
  // Its title stands above the page.
  return section === null ? page.replace(/^# .*\n/, '') : sectionOf(page, section);
}
