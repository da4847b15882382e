import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAutomations, textOf, writeAutomations } from '#engine/automations/rules/automations-yaml.ts';
import { planImport } from '#engine/automations/rules/import-plan.ts';
import { withTeamIds } from '#engine/automations/rules/team-names.ts';
import { readYaml, YamlFault } from '#engine/automations/rules/yaml-text.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { runs } from '#test/support/faults/seeds.ts';

const text = `# What this machine sends.
automations:
  - name: Renders
    kind: team_upload
    folder: /media/renders
    team_id: t1
    recipients: [post@example.com]
    include: ["*.mov"]
  - name: Camera cart
    kind: portal_upload
    active: false
    folder: /media/cart
    subdomain: northlight
    access_code: "1234"
    sender: mia@example.com
    form:
      camera: { value: A }
    schedule:
      mon: &day { enabled: true, start: "08:00", end: 18:00 }
      tue: *day
      wed: *day
      thu: *day
      fri: *day
      sat: *day
      sun: *day
`;

/** The fault of a text: its line, and what is wrong. */
function fault(yaml: string): string {
  try {
    readAutomations(yaml);
  } catch (error) {
    if (error instanceof YamlFault) return `${error.line}: ${error.message}`;
    throw error;
  }
  return 'none';
}

const told = (fields: object): Automation =>
  ({
    id: '1',
    state: 'watching',
    message: '',
    waiting_for: '',
    counts: { sent: 1, waiting: 0, failed: 0, questions: 0 },
    created_at: '2026-11-23T00:00:00.000Z',
    updated_at: '2026-11-23T00:00:00.000Z',
    ...fields,
  }) as Automation;

describe('automations in YAML', () => {
  it('are read with the defaults of their kind', () => {
    const [renders, cart] = readAutomations(text);
    expect(renders).toMatchObject({ kind: 'team_upload', name: 'Renders', line: 3 });
    expect(renders!.fields).toMatchObject({ folder: '/media/renders', settle_seconds: 30, package_per: 'entry', recursive: true });
    expect(renders!.fields).not.toHaveProperty('active');
    expect(cart).toMatchObject({ line: 9, fields: { active: false, access_code: '1234', schedule: { sun: { end: '18:00' } } } });
  });

  it.each([
    [
      'automations:\n  - name: a\n    kind: team_uplod\n',
      '3: kind is "team_uplod": give one of portal_upload, team_upload, portal_download, all_portals_download.',
    ],
    ['automations:\n  - name: a\n', '2: kind is missing: give one of portal_upload, team_upload, portal_download, all_portals_download.'],
    ['automations:\n  - name: a\n    kind: team_upload\n    team_id: t\n    recipients: []\n', '2: folder is missing.'],
    [text.replace('sender: mia@example.com', 'sender: mia'), '15: sender must be an e-mail address.'],
    [text.replace('["*.mov"]', '\n      - "*.mov"\n      - 7'), '10: include[1] must be a text: put it in quotes.'],
    [text.replace('18:00', '6pm'), /^25: schedule\.sun\.end /],
    [
      text.replace('folder: /media/cart', 'folder: /media/cart\n    fodler: /x'),
      /^13: portal_upload has no field "fodler", only name, active, /,
    ],
    [text.replace('folder: /media/cart', 'folder:'), '12: folder has no value. Give one, or remove the line.'],
    [text.replace('folder: /media/cart', 'name: x'), '12: This key stands there already. Remove one of the two.'],
    [text.replace('Camera cart', 'Renders'), '9: The name "Renders" stands in line 3 already. Give each its own.'],
    ['automation: []', '1: There is no "automation" here, only "automations".'],
    ['automations: yes', '1: automations is a list: begin each with "- name:".'],
    ['automations:\n  - just text', '2: An automation is a list of fields: name, kind, folder and so on.'],
    ['- a', '1: Begin with "automations:", and a list of them below.'],
    ['automations: [\n', '2: A list or mapping in brackets lacks a comma or its closing bracket.'],
    [text.replace('["*.mov"]', '[*.mov]'), /^8: "\*" refers to a value that "&" marks, .* Put a pattern like "\*\.mov" in quotes\.$/],
    [text.replace('["*.mov"]', '\n      - "*.mov"\n      - *.mxf'), /^10: "\*" refers/],
    [text.replace('/media/renders', '"C:\\media"'), /^5: In double quotes a backslash has a meaning of its own\./],
    [text.replace('/media/renders', '@media'), /^5: A value cannot begin with this character\./],
    [text.replace('/media/renders', 'cart: two'), /^5: Something does not belong here: /],
    [text.replace('folder: /media/renders', 'folder /media/renders'), /^5: After the name of a field stands a colon and a space\./],
    [text.replace('    folder: /media/cart', '   folder: /media/cart'), /^12: The indentation does not fit/],
    [text.replace('"1234"', '"1234'), /^\d+: A quote is opened|^16: Something does not belong here/],
    ['automations:\n  - {a: b}: c\n', /^2: The name of a field is a text\./],
    ['a: 1\n---\nb: 2', '2: There is a second document (---). Keep one.'],
    ['automations: !!js/function "x"', '1: Tags (!…) are not read. Write the value itself.'],
  ])('are refused by line and field (%#)', (yaml, expected) => {
    if (typeof expected === 'string') expect(fault(yaml)).toBe(expected);
    else expect(fault(yaml)).toMatch(expected);
  });

  it('that grow when they are read are refused', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `a${level}: &a${level} [${Array(9)
          .fill(level === 0 ? 'x' : `*a${level - 1}`)
          .join(', ')}]`,
    );
    expect(fault(levels.join('\n'))).toBe('1: It refers to itself too often.');
    expect(fault('automations: &all [*all]')).toBe('1: It refers to itself too often.');
    expect(fault('a: &one 1\nautomations: &one [*one]')).toBe('1: It refers to itself too often.');
  });

  it.each([
    ['references', `x: &x 1\ny:\n  - [${Array(200_000).fill('*x')}]`, 3],
    ['values', `x:\n${'  - a\n'.repeat(200_000)}`, 100_001],
    ['names', `x:\n${Array.from({ length: 60_000 }, (_, n) => `  a${n}: "*"\n`).join('')}`, 50_001],
  ])('are refused unread with too many %s', (_what, yaml, line) => {
    expect(fault(yaml)).toBe(`${line}: This is too long: up to here there are more names, values or references than are read.`);
  });

  it('may refer to one value as often as there are automations', () => {
    const entries = Array.from(
      { length: 1_000 },
      (_, n) => `  - { name: a${n}, kind: team_upload, folder: /a, team_id: t, recipients: ${n ? '*to' : '&to [a@x.org]'} }\n`,
    );
    expect(readAutomations(`automations:\n${entries.join('')}`).at(-1)!.fields['recipients']).toEqual(['a@x.org']);
  });

  it('may hold much that looks like references in a text', () => {
    expect(readYaml(`x: |\n${'  *a\n'.repeat(20_000)}`).value).toEqual({ x: '*a\n'.repeat(20_000) });
  });

  it('of an empty text are none', () => {
    expect(readAutomations('')).toEqual([]);
    expect(readAutomations('automations:\n')).toEqual([]);
  });

  it('are written as they are read, without secrets and what is usual', () => {
    const automations = readAutomations(text).map(({ kind, fields: { access_code, ...fields } }) =>
      told({ kind, active: true, ...fields, has_access_code: access_code !== undefined }),
    );
    const yaml = writeAutomations(automations);
    expect(yaml).not.toMatch(/1234|settle_seconds|waiting|has_access_code/);
    const again = readAutomations(yaml);
    expect(again.map(({ name, kind }) => [name, kind])).toEqual([
      ['Renders', 'team_upload'],
      ['Camera cart', 'portal_upload'],
    ]);
    expect(writeAutomations(again.map(({ kind, fields }) => told({ kind, ...fields })))).toBe(yaml);
  });

  it('keep any text that a name or a pattern may be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 60 }), (free) => {
        const description = `x${free}`;
        const automation = told({
          ...readAutomations(text)[0]!.fields,
          kind: 'team_upload',
          active: true,
          package_description: description,
        });
        expect(readAutomations(writeAutomations([automation]))[0]!.fields['package_description']).toBe(description);
      }),
      { numRuns: runs(20, 1_000) },
    );
  });
});

describe('a Team', () => {
  const teams = [
    { id: 't1', name: 'Northlight' },
    { id: 't1', name: 'Northlight' },
    { id: 't2', name: 'Harbour' },
    { id: 't3', name: 'harbour' },
  ];
  const named = (line: string) =>
    `automations:\n  - name: Renders\n    kind: team_upload\n    folder: /media/renders\n    recipients: []\n${line}`;
  const resolved = (line: string): unknown => {
    try {
      return withTeamIds(readAutomations(named(line)), teams)[0]!.fields['team_id'];
    } catch (error) {
      return error instanceof YamlFault ? `${error.line}: ${error.message}` : error;
    }
  };

  it.each([
    ['    team: northlight\n', 't1'],
    ['    team_id: t3\n', 't3'],
    ['    team: Harbour\n', '2: Several Teams are called "Harbour". In "Renders" give team_id in place of team: t2 or t3.'],
    ['    team: Fjord\n', '2: There is no Team "Fjord" in "Renders". Those that are signed in to: "Northlight", "Harbour", "harbour".'],
    ['    team: 12\n', '6: team must be the name of a Team: put it in quotes.'],
    ['    team: Northlight\n    team_id: t1\n', '6: Give team or team_id, and not both.'],
    ['', '2: team_id is missing.'],
  ])('is named by %j', (line, expected) => {
    expect(resolved(line)).toBe(expected);
  });

  it('is written by its name where that means it alone', () => {
    const written = (id: string): string =>
      writeAutomations([told({ ...readAutomations(named(`    team_id: ${id}\n`))[0]!.fields, kind: 'team_upload', active: true })], teams);
    expect(written('t1')).toContain('team: Northlight\n');
    expect(written('t1')).not.toContain('team_id');
    expect([written('t2'), written('t9')]).toEqual([expect.stringContaining('team_id: t2\n'), expect.stringContaining('team_id: t9\n')]);
  });

  it('stays as it is written where it is read later', () => {
    const [one] = readAutomations(named('    team: Northlight\n'));
    expect(withTeamIds(readAutomations(textOf(one!)), teams)[0]!.fields).toMatchObject({ team_id: 't1', name: 'Renders' });
  });
});

describe('an import', () => {
  const written = readAutomations(text);
  const existing = written.map(({ kind, fields }, index) => ({ id: String(index), kind, fields: { active: true, ...fields } }));

  it('makes what is not there, active unless it is told otherwise', () => {
    const { creates, updates, unchanged } = planImport(written, []);
    expect(creates.map(({ name, fields }) => [name, fields['active']])).toEqual([
      ['Renders', true],
      ['Camera cart', false],
    ]);
    expect([updates, unchanged]).toEqual([[], []]);
  });

  it('changes nothing the second time, nor what it does not name', () => {
    expect(planImport(written, [...existing, { id: '9', kind: 'team_upload', fields: { name: 'Other' } }])).toEqual({
      creates: [],
      updates: [],
      unchanged: ['0', '1'],
    });
  });

  it('changes what differs, takes out what is not said any more, and keeps the code and a pause', () => {
    const [renders, cart] = existing;
    const { access_code: _, ...withoutCode } = written[1]!.fields;
    const plan = planImport(
      [written[0]!, { ...written[1]!, fields: withoutCode }],
      [{ ...renders!, fields: { ...renders!.fields, active: false, marker: 'x', settle_seconds: 5 } }, cart!],
    );
    expect(plan.updates).toEqual([{ id: '0', change: { marker: null, settle_seconds: 30 }, line: 3 }]);
    expect(plan.unchanged).toEqual(['1']);
  });

  it('changes no kind', () => {
    expect(() => planImport(written, [{ ...existing[0]!, kind: 'portal_upload' }])).toThrow('"Renders" is a portal_upload already');
  });
});

it('tells the line of a value, or of what is around it', () => {
  const yaml = readYaml('a:\n  - x: 1\n    y:\n      z: 2\nb: 3\n');
  expect([['a'], ['a', 0], ['a', 0, 'y', 'z'], ['a', 0, 'q'], ['b'], ['c']].map((path) => yaml.lineOf(path))).toEqual([1, 2, 4, 2, 5, 1]);
});
