import type { OwnTeam } from '#protocol/hosted/accounts.ts';
import type { FormField } from '#protocol/hosted/forms.ts';
import type { Portal, PublicPortal, UpdatePortal } from '#protocol/hosted/portals.ts';
import { parseNamePattern, sampleName } from '#protocol/name-pattern.ts';

/** A Portal as somebody is changing it. */
export type Draft = Omit<Portal, 'custom_metadata' | 'created_at' | 'updated_at' | 'team_id' | 'id' | 'storage_used'>;

export type DraftField = keyof Draft;

/** What of a Portal can be edited, as it was read. */
export function draftOf(portal: Portal): Draft {
  const {
    custom_metadata: _form,
    created_at: _created,
    updated_at: _updated,
    team_id: _team,
    id: _id,
    storage_used: _used,
    ...draft
  } = portal;
  return draft;
}

/** The settings that differ from what was read. */
export function changesOf(base: Draft, draft: Draft): Partial<Draft> {
  const fields = new Set([...Object.keys(base), ...Object.keys(draft)]) as Set<DraftField>;
  return Object.fromEntries(
    [...fields].filter((field) => JSON.stringify(base[field]) !== JSON.stringify(draft[field])).map((field) => [field, draft[field]]),
  );
}

/** The update that makes these changes; those of others since `readAt` are told (docs/contract/portals.md §3). */
export function updateOf(base: Draft, draft: Draft, readAt: string): UpdatePortal {
  const { tag: _, ...changes } = changesOf(base, draft);
  return {
    ...changes,
    ...(base.tag?.id !== draft.tag?.id && { tag: { id: draft.tag?.id ?? '' } }),
    ...(changes.cloud_connections && { configure_cloud_connections: true }),
    expected_updated_at: readAt,
  };
}

/** The Portal as its upload page would get it. */
export function publicOf(id: string, draft: Draft, fields: readonly FormField[] | null, team: OwnTeam['branding']): PublicPortal {
  const parsed = parseNamePattern(draft.name_pattern);
  const asked = fields?.filter(({ visibility }) => visibility !== 'hidden');
  return {
    id,
    name: draft.name,
    subdomain: draft.subdomain,
    message: draft.message,
    active: draft.active,
    has_access_code: draft.has_access_code,
    terms_of_service_enabled: draft.terms_of_service_enabled,
    terms_of_service: draft.terms_of_service,
    package_size_restriction_enabled: draft.package_size_restriction_enabled,
    max_package_size: draft.max_package_size,
    max_file_size: draft.max_file_size,
    max_file_count: draft.max_file_count,
    file_type_restriction_enabled: draft.file_type_restriction_enabled,
    file_types: draft.file_types,
    expiry_enabled: draft.expiry_enabled,
    expiry: draft.expiry,
    primary_color: draft.primary_color || team.primary_color,
    logo_url: draft.logo_url || team.logo_url,
    background_url: draft.background_url || team.background_url,
    name_pattern: parsed.ok ? draft.name_pattern : '',
    name_pattern_label: draft.name_pattern_label,
    name_pattern_example: draft.name_pattern_example || (parsed.ok ? sampleName(parsed.pattern) : ''),
    ...(asked && { custom_metadata: asked }),
  };
}
