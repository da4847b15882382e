import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linesOf as dryRunLines } from '#main/cli/commands/automation/dry-run.ts';
import { linesOf } from '#main/cli/commands/automation/ls.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { longshoreHere } from '#test/support/engine/command-line.ts';
import { mia } from '#test/support/engine/fake-engine.ts';

/** `longshore automation …` against an agent that notes what it is asked. */

const renders = {
  id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  kind: 'team_upload',
  name: 'Renders',
  active: true,
  folder: '/media/renders',
  team_id: 't1',
  recipients: [],
  recursive: true,
  settle_seconds: 30,
  package_per: 'entry',
  growing: false,
  growing_idle_seconds: 60,
  by_content: false,
  existing: false,
  after: 'keep',
  state: 'watching',
  message: '',
  waiting_for: '',
  last_run_at: '2026-11-23T00:00:00.000Z',
  counts: { sent: 12, waiting: 0, failed: 0, questions: 0 },
  created_at: '2026-11-23T00:00:00.000Z',
  updated_at: '2026-11-23T00:00:00.000Z',
} as Automation;
const cart = { ...renders, id: 'c', name: 'Camera cart', kind: 'portal_upload', folder: '/media/cart' } as unknown as Automation;

const camera = { name: 'camera', label: 'Camera', type: 'radio', visibility: 'editable', position: 1, options: ['A', 'B'] };
const questions = [
  { id: 'q1', entry: 'A001', asked_at: renders.created_at, fields: [camera] },
  {
    id: 'q2',
    entry: 'A002',
    asked_at: renders.created_at,
    fields: [camera, { ...camera, name: 'scene', label: '', type: 'text', options: [] }],
  },
];

let asked: { call: string; body: unknown }[];
let url: string;
let stop: () => void;
let out: string;
let errors: string;

const answers: Record<string, (body: never) => unknown> = {
  'GET /api/v1/automations': () => [renders, cart],
  'GET /api/v1/login': () => mia,
  'POST /api/v1/portals/preview': () => ({ id: 'p1' }),
  'POST /api/v1/automations/import': () => ({ created: 1, updated: 0, unchanged: 2, automations: [] }),
  'GET /api/v1/automations/export': () => ({ yaml: 'automations: []\n' }),
  'GET /api/v1/automations/c/questions': () => questions,
  [`GET /api/v1/automations/${renders.id}/questions`]: () => [],
  [`GET /api/v1/automations/${renders.id}/ledger`]: () => ({
    metadata: { total: 3 },
    records: ['day1/a.mov', 'day1/b.mov', 'day10/c.mov'].map((path, index) => ({ id: String(index + 1), path })),
  }),
  [`POST /api/v1/automations/${renders.id}/forget`]: ({ ids }: { ids?: string[] }) => ({ forgotten: ids?.length ?? 3 }),
};

beforeEach(async () => {
  [asked, out, errors] = [[], '', ''];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    const call = `${request.method} ${request.url!.split('?')[0]}`;
    const body = text === '' ? null : JSON.parse(text);
    if (!call.startsWith('GET') || call.includes('export')) asked.push({ call: `${request.method} ${request.url}`, body });
    const answer = answers[call]?.(body as never) ?? { ...renders, ...body };
    const isEmpty = /\/(run|pause|resume|answer)$/.test(call) || request.method === 'DELETE';
    response.writeHead(isEmpty ? 204 : call.endsWith('_upload') || call.endsWith('_download') ? 201 : 200, {
      'content-type': 'application/json',
    });
    response.end(isEmpty ? '' : JSON.stringify(answer));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stop = () => {
    server.closeAllConnections();
    server.close();
  };
});

afterEach(() => stop());

async function run(...args: string[]): Promise<number | string> {
  const { code, stdout, stderr } = await longshoreHere(['automation', ...args, '--agent-url', url]);
  out += stdout;
  errors += stderr;
  return code;
}

describe('longshore automation add', () => {
  it('makes one of the options given', async () => {
    const code = await run(
      ...['add', 'team-upload', 'Renders', '--folder', '/media/renders', '--to', 'a@example.com', 'b@example.com', '--flat'],
      ...['--include', '*.mov', '--settle', '5', '--package-per', 'marker', '--marker', '*.mhl', '--paused'],
      ...['--due-within', '4h', '--due-at', '2027-01-31T18:00:00+01:00'],
    );
    expect([code, errors]).toEqual([0, '']);
    expect(asked).toEqual([
      {
        call: 'POST /api/v1/automations/team_upload',
        body: {
          name: 'Renders',
          active: false,
          folder: '/media/renders',
          recipients: ['a@example.com', 'b@example.com'],
          recursive: false,
          include: ['*.mov'],
          settle_seconds: 5,
          package_per: 'marker',
          marker: '*.mhl',
          due_at: '2027-01-31T17:00:00.000Z',
          due_within_seconds: 14_400,
          team_id: mia.teams[0]!.id,
        },
      },
    ]);
    expect(out).toBe('Made "Renders" (watching): /media/renders\n');
  });

  it('names a Portal as each kind knows it', async () => {
    await run(
      'add',
      'portal-upload',
      'Cart',
      '--folder',
      '/in',
      '--portal',
      'northlight',
      '--sender',
      'mia@example.com',
      '--form',
      'camera=A',
      '--form',
      'notes=a=b',
    );
    await run(
      'add',
      'portal-download',
      'In',
      '--folder',
      '/in',
      '--portal',
      'northlight',
      '--subfolders',
      'sender,date',
      '--no-package-folder',
    );
    expect(asked.map(({ body }) => body)).toEqual([
      {
        name: 'Cart',
        active: true,
        folder: '/in',
        subdomain: 'northlight',
        sender: 'mia@example.com',
        form: { camera: { value: 'A' }, notes: { value: 'a=b' } },
      },
      { subdomain: 'northlight' },
      {
        name: 'In',
        active: true,
        dst_folder: '/in',
        subfolders: ['sender', 'date'],
        create_package_folder: false,
        portal_id: 'p1',
        team_id: mia.teams[0]!.id,
      },
    ]);
  });

  it.each([
    [['add'], 'Give a kind and a name'],
    [['add', 'team-upload', 'x'], '--folder is missing. See --help.'],
    [['add', 'portal-upload', 'x', '--folder', '/in'], '--sender is missing. See --help.'],
    [['add', 'portal-download', 'x', '--folder', '/in', '--marker', 'm'], '--marker is nothing for portal-download. See --help.'],
    [['add', 'team-upload', 'x', '--folder', '/in', '--form', 'a=b'], '--form is nothing for team-upload. See --help.'],
    [['add', 'team-upload', 'x', '--settle', 'soon'], 'Give whole seconds above 0.'],
    [['add', 'team-uplod', 'x'], 'Allowed choices are team-upload, portal-upload'],
    [['add', 'team-upload', 'x', '--file', 'y.yaml'], 'and not both'],
    [['edit', 'Renders'], 'Say what to change. See --help.'],
    [['run'], 'Give names of automations, or --all, and not both.'],
    [['dry-run'], 'Give the name of an automation, or --file.'],
  ])('%j is refused before anything is asked', async (args, expected) => {
    expect(await run(...args)).toBe(2);
    expect(errors).toContain(expected);
    expect(asked).toEqual([]);
  });
});

describe('an automation that is there', () => {
  it('is changed by what is named alone', async () => {
    await run('edit', 'Renders', '--name', 'Renders 2', '--settle', '60', '--unset', 'include', 'not-ready');
    expect(asked).toEqual([
      {
        call: `PUT /api/v1/automations/${renders.id}`,
        body: { name: 'Renders 2', settle_seconds: 60, include: null, not_ready: null },
      },
    ]);
    expect(out).toBe('Changed "Renders 2".\n');
  });

  it('is run, paused, resumed and removed by name or id, or all of them', async () => {
    await run('run', 'Renders');
    await run('pause', '--all');
    await run('resume', renders.id);
    await run('rm', 'Camera cart');
    expect(asked.map(({ call }) => call.replace('/api/v1/automations/', ''))).toEqual([
      `POST ${renders.id}/run`,
      `PUT ${renders.id}/pause`,
      'PUT c/pause',
      `PUT ${renders.id}/resume`,
      'DELETE c',
    ]);
    expect(out).toBe('Looks now: "Renders".\nPaused "Renders".\nPaused "Camera cart".\nGoes on: "Renders".\nRemoved "Camera cart".\n');
  });

  it('is missed by its name, beside others that are found', async () => {
    expect(await run('pause', 'Nobody')).toBe(5);
    expect(errors).toContain('There is no automation "Nobody". `longshore automation ls` shows all.');
    expect(await run('pause', 'Nobody', 'Renders')).toBe(10);
    expect(out).toBe('Paused "Renders".\n');
  });

  it('is written as YAML', async () => {
    await run('export', 'Renders');
    expect(asked.map(({ call }) => call)).toEqual([`GET /api/v1/automations/export?ids=${renders.id}`]);
    expect(out).toBe('automations: []\n');
  });
});

describe('what an automation asks', () => {
  it('is listed, and answered for the entry that is named', async () => {
    await run('answer', 'Camera cart');
    expect(out).toBe('A001\n  camera (Camera): A, B\nA002\n  camera (Camera): A, B\n  scene: text\n');
    out = '';
    await run('answer', 'Camera cart', 'A002', '--form', 'camera=B', '--form', 'scene=12');
    expect(asked).toEqual([
      { call: 'POST /api/v1/automations/c/questions/q2/answer', body: { form: { camera: { value: 'B' }, scene: { value: '12' } } } },
    ]);
    expect(out).toBe('Answered for "A002".\n');
  });

  it.each([
    [['Camera cart', '--form', 'camera=B'], 2, 'Name the entry that you answer for: "A001", "A002".'],
    [['Camera cart', 'A001', '--form', 'lens=50'], 2, '"lens" is not asked, only camera.'],
    [['Camera cart', 'A001', '--form', 'camera'], 2, 'Give the name of a field, = and the answer'],
    [['Camera cart', 'A003', '--form', 'camera=B'], 5, '"Camera cart" asks nothing about "A003".'],
    [['Renders', '--form', 'camera=B'], 5, '"Renders" asks nothing.'],
    [['Nobody'], 5, 'There is no automation "Nobody".'],
  ])('is not answered by %j', async (args, code, expected) => {
    expect(await run('answer', ...args)).toBe(code);
    expect(errors).toContain(expected);
    expect(asked).toEqual([]);
  });
});

describe('what an automation knows', () => {
  it('is forgotten by a path, a folder, or all of it', async () => {
    await run('forget', 'Renders', 'day1/b.mov');
    await run('forget', 'Renders', 'day1/', 'day10/c.mov');
    await run('forget', 'Renders', '--all');
    expect(asked.map(({ body }) => body)).toEqual([{ ids: ['2'] }, { ids: ['1', '2', '3'] }, { all: true }]);
    expect(out).toBe('Forgot 1 entry of "Renders".\nForgot 3 entries of "Renders".\nForgot 3 entries of "Renders".\n');
  });

  it.each([
    [['Renders'], 2, 'Give paths, or --all, and not both.'],
    [['Renders', 'a.mov', '--all'], 2, 'Give paths, or --all, and not both.'],
    [['Renders', 'day2'], 5, '"Renders" knows nothing of "day2". See its history --ledger.'],
  ])('is kept for %j', async (args, code, expected) => {
    expect(await run('forget', ...args)).toBe(code);
    expect(errors).toContain(expected);
    expect(asked).toEqual([]);
  });
});

describe('what a person reads', () => {
  it('of an automation', () => {
    const waiting = { waiting_for: 'A001.mov is still being written', waiting_since: '2026-11-23T01:00:00.000Z' };
    expect(
      linesOf({
        ...renders,
        ...waiting,
        state: 'error',
        message: 'The folder is gone\u001b[2J.',
        counts: { sent: 1, waiting: 2, failed: 3, questions: 1 },
      }),
    ).toEqual([
      '↑ Renders  error  1 file sent, 2 waiting, 3 failed, 1 question',
      `  ${renders.id}  team_upload  /media/renders`,
      '  The folder is gone.',
      '  Waits: A001.mov is still being written, since 2026-11-23T01:00:00.000Z',
    ]);
  });

  it('of a dry run', () => {
    expect(
      dryRunLines({
        packages: [
          {
            name: 'Day 12',
            files: 3,
            total_bytes: 1_230_000,
            paths: ['a', 'b'],
            form: { camera: { value: 'A' } },
            missing_fields: ['scene'],
          },
        ],
        skipped: [{ path: 'c.part', reason: 'Its name says that it is not ready (*.part).' }],
        truncated: true,
      }),
    ).toEqual([
      '"Day 12"  3 files, 1.23 MB',
      '  a',
      '  b',
      '  and 1 more file',
      '  camera = A',
      '  The form would be asked: scene.',
      'Left out:',
      '  c.part: Its name says that it is not ready (*.part).',
      'There is more than is shown.',
    ]);
    expect(dryRunLines({ packages: [], skipped: [], truncated: false })).toEqual(['Nothing would be sent or fetched now.']);
  });
});
