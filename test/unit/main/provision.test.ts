import { describe, expect, it } from 'vitest';
import { readAutomations } from '#engine/automations/rules/automations-yaml.ts';
import type { WrittenMount } from '#main/config/mounts.ts';
import { provision } from '#main/provision.ts';
import type { Mount } from '#protocol/agent/mounts.ts';
import { AgentError } from '#protocol/errors.ts';

const text = `automations:
  - name: Renders
    kind: team_upload
    folder: /media/renders
    team_id: t1
    recipients: []
  - name: Cart
    kind: team_upload
    folder: /media/cart
    team_id: t1
    recipients: []
`;

/** An agent whose disks are there or not, and a clock that a test turns. */
function started(
  missing: Set<string>,
  mounts: readonly WrittenMount[] = [],
  there: Mount[] = [],
  teams: { id: string; name: string }[] = [],
) {
  const made: string[] = [];
  const lines: string[] = [];
  let turn = (): void => {};
  const say = (_: object, message: string) => void lines.push(message);
  const { close } = provision(
    { file: '/etc/agent.yaml', automations: readAutomations(text), mounts },
    {
      automations: {
        async import(yaml) {
          const [one] = readAutomations(yaml);
          const path = one!.fields['folder'] as string;
          if (missing.has(path)) throw new AgentError('path_not_found', { path });
          made.push(one!.name);
          return { created: 1, updated: 0, unchanged: 0, automations: [] };
        },
      },
      gateway: {
        list: () => there,
        create: async (fields) => {
          made.push(`mount ${fields.path}${fields.team_id === 't1' ? '' : ` of ${fields.team_id}`}`);
          return {} as Mount;
        },
        update: async (id, change) => {
          made.push(`mount ${id} ${JSON.stringify(change)}`);
          return {} as Mount;
        },
      },
      teams: async () => teams,
      log: { trace: say, debug: say, info: say, warn: say, error: say, fatal: say } as never,
      after: (_, callback) => {
        turn = callback;
        return () => {
          turn = () => {};
        };
      },
    },
  );
  return { made, lines, close, turn: () => turn() };
}

describe('what a configuration file wants to be there', () => {
  it('is made one by one; what cannot be made is said with its line, and tried again', async () => {
    const missing = new Set(['/media/renders']);
    const { made, lines, turn } = started(missing);
    await expect.poll(() => made).toEqual(['Cart']);
    expect(lines.find((line) => line.includes('yet'))).toMatch(
      /^\/etc\/agent\.yaml, line 2: the automation "Renders" cannot be made yet: .*\/media\/renders/,
    );
    turn();
    missing.clear();
    await expect
      .poll(() => {
        turn();
        return made;
      })
      .toEqual(['Cart', 'Renders']);
    expect(lines.filter((line) => line.includes('cannot be made yet'))).toHaveLength(1);
  });

  it('makes mounts, and changes those that are not as they should be', async () => {
    const mount = (path: string, more: object = {}): WrittenMount => ({ name: path, fields: { team_id: 't1', path, ...more }, line: 1 });
    const existing = (id: string, path: string, name = '') => ({ id, path, name, team_id: 't1', read_only: false }) as Mount;
    const wanted = [mount('/mnt/new'), mount('/mnt/there', { read_only: true }), mount('/mnt/moved', { name: 'NAS' }), mount('/mnt/same')];
    const there = [existing('a', '/mnt/there'), existing('b', '/mnt/old', 'NAS'), existing('c', '/mnt/same')];
    const { made } = started(new Set(['/media/renders', '/media/cart']), wanted, there);
    await expect.poll(() => made).toEqual(['mount /mnt/new', 'mount a {"read_only":true}', 'mount b {"path":"/mnt/moved"}']);
  });

  it('finds the Team of a mount by its name, and says where there is none yet', async () => {
    const wanted = [{ name: '/mnt/new', fields: { path: '/mnt/new', team: 'northlight' }, line: 3 }];
    const teams: { id: string; name: string }[] = [];
    const { made, lines, turn } = started(new Set(['/media/renders', '/media/cart']), wanted, [], teams);
    await expect
      .poll(() => lines.find((line) => line.includes('mount /mnt/new')))
      .toMatch(/line 3: .* cannot be made yet: There is no Team/);
    teams.push({ id: 't2', name: 'Northlight' });
    await expect
      .poll(() => {
        turn();
        return made;
      })
      .toEqual(['mount /mnt/new of t2']);
  });

  it('is not tried again after the end', async () => {
    const missing = new Set(['/media/renders', '/media/cart']);
    const { made, lines, close, turn } = started(missing);
    await expect.poll(() => lines.length).toBe(2);
    close();
    missing.clear();
    turn();
    await new Promise((resume) => setImmediate(resume));
    expect(made).toEqual([]);
  });
});
