import { expect, it } from 'vitest';
import { samplePublicPortal } from '#test/support/browser/samples.ts';
import { type Draft, draftOf, publicOf, updateOf } from '#web/console/portals/editor/draft.ts';

const base: Draft = {
  ...draftOf({ ...samplePublicPortal(), team_id: 't', created_at: '', updated_at: '' } as never),
  ...{ access_code: '', recipients: [], cc_recipients: [], has_download_password: false, download_password: '', custom_expiry_days: 0 },
  ...{ access_level: 'regular', access_list: [], teamspace_id: '', cloud_connections: [], custom_webhooks: [] },
};
const tag = { id: 'tag', name: 'Urgent', team_id: 't', active: true, created_at: '', updated_at: '' };
const team = { primary_color: '#7a2e8f', logo_url: 'https://example.com/team.png', background_url: '' };
const readAt = '2026-11-23T12:00:00.000Z';
const update = (before: Draft, after: Draft) => updateOf(before, after, readAt);

it('sends what was changed, and when it was read', () => {
  expect(update(base, base)).toEqual({ expected_updated_at: readAt });
  expect(update(base, { ...base, name: 'Other', file_types: ['.mov'] })).toEqual({
    name: 'Other',
    file_types: ['.mov'],
    expected_updated_at: readAt,
  });
});

it('sets and takes away a tag by its id', () => {
  expect(update(base, { ...base, tag })).toEqual({ tag: { id: 'tag' }, expected_updated_at: readAt });
  const { tag: _, ...without } = { ...base, tag };
  expect(update({ ...base, tag }, without)).toEqual({ tag: { id: '' }, expected_updated_at: readAt });
});

it('says that connections are meant where they were changed', () => {
  const cloud_connections = [{ id: 'c', target_action: 'transfer' as const }];
  expect(update(base, { ...base, cloud_connections })).toMatchObject({ cloud_connections, configure_cloud_connections: true });
});

it('shows senders an example of the pattern, and none of a pattern that cannot be', () => {
  expect(publicOf('p', { ...base, name_pattern: 'NL_{digits:2}' }, null, team)).toMatchObject({ name_pattern_example: 'NL_12' });
  expect(publicOf('p', { ...base, name_pattern: 'NL_{' }, null, team)).toMatchObject({ name_pattern: '', name_pattern_example: '' });
});

it('shows the branding of the Team where the Portal has none', () => {
  const plain = { ...base, primary_color: '', logo_url: '', background_url: '' };
  expect(publicOf('p', plain, null, team)).toMatchObject(team);
  expect(publicOf('p', { ...plain, primary_color: '#1f6feb' }, null, team)).toMatchObject({ ...team, primary_color: '#1f6feb' });
});
