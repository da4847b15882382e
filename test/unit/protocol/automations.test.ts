import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { Automation, automationBodies, UpdateAutomation } from '#protocol/agent/automations/automation.ts';

const told = {
  id: '1',
  state: 'watching',
  message: '',
  waiting_for: '',
  counts: { sent: 0, waiting: 0, failed: 0, questions: 0 },
  created_at: '2026-11-23T06:24:12.000Z',
  updated_at: '2026-11-23T06:24:12.000Z',
};
const bodies = {
  team_upload: { folder: '/x', recipients: [], team_id: 't' },
  portal_upload: { folder: '/x', subdomain: 'northlight', sender: 'mia@example.com' },
  portal_download: { dst_folder: '/x', team_id: 't', portal_id: 'p' },
  all_portals_download: { dst_folder: '/x', team_id: 't' },
} as const;

it.each(Object.keys(bodies) as (keyof typeof bodies)[])('a %s is told without the fields that nobody chose', (kind) => {
  const fields = Value.Default(automationBodies[kind], { name: 'a', active: true, ...bodies[kind] }) as object;
  const code = kind === 'portal_upload' ? { has_access_code: false } : {};
  expect(Value.Check(Automation, { kind, ...told, ...fields, ...code })).toBe(true);
});

it('an update takes no field for granted', () => {
  expect(Value.Default(UpdateAutomation, { name: 'b' })).toEqual({ name: 'b' });
  expect(Value.Check(UpdateAutomation, { marker: null })).toBe(true);
});
