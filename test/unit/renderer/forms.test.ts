import { describe, expect, it } from 'vitest';
import { hrefOf, type Route, routeOf } from '#renderer/app/route.ts';
import { byDay } from '#renderer/history/days.ts';
import { catalogues } from '#renderer/messages/catalogues.ts';
import { automationEditor as editorDe } from '#renderer/messages/de/automation-editor.ts';
import { automationEditor as editorEn } from '#renderer/messages/en/automation-editor.ts';
import { loadLocale } from '#renderer/messages/locale.ts';
import { type BrowserEntry, describeEntries, droppedOf } from '#renderer/paths/dropped.ts';
import { expiryRequest } from '#renderer/send/expiry.ts';
import { emptyDraft, storeDraft, storedDraft } from '#renderer/send/kept-draft.ts';
import { portalAddressOf, portalText } from '#renderer/send/portal/portal-address.ts';
import { isOpenToReaders, serviceAddress } from '#renderer/session/service-address.ts';
import { asMonday, draggedDay, minutesOf, spansOf, timeOf } from '#renderer/settings/schedule.ts';
import { sampleRateLimit, sampleTransfer } from '#test/support/browser/samples.ts';

describe('places and their addresses', () => {
  const routes: readonly Route[] = [
    { name: 'transfers' },
    { name: 'send' },
    { name: 'get' },
    { name: 'transfer', id: '019a/?#ü' },
    { name: 'automations' },
    { name: 'automation', id: '019a/?#ü' },
    { name: 'edit-automation', id: '019aa1b2-7c3d' },
    { name: 'new-automation' },
    { name: 'new-automation', kind: 'portal_upload' },
    { name: 'history' },
    { name: 'settings' },
    { name: 'about' },
    { name: 'open', address: 'longshore://download?url=https%3A%2F%2Fx%2Fd%2F1%3Fsecret%3D2&a=b' },
  ];
  it.each(routes)('$place', (route) => {
    expect(routeOf(hrefOf(route))).toEqual(route);
  });
  it.each(['', '#', '#/', '#/nowhere', '#/history/x', '#/send/x', '#/transfers/a/b', '#/transfers/%E0%A4', '#/open', '#content'])(
    '%s leads to the transfers',
    (hash) => {
      expect(routeOf(hash)).toEqual({ name: 'transfers' });
    },
  );
  it.each(['#/automations/', '#/automations/%E0', '#/automations/1/other', '#/automations/1/edit/more'])(
    '%s leads to the automations',
    (hash) => {
      expect(routeOf(hash)).toEqual({ name: 'automations' });
    },
  );
  it('a kind that there is not is no kind', () => {
    expect(routeOf('#/automations/new?kind=nothing')).toEqual({ name: 'new-automation' });
  });
});

it.each([
  ['share.example.com', 'https://share.example.com'],
  [' https://share.example.com/ship/ ', 'https://share.example.com/ship'],
  ['http://nas.local:8080', 'http://nas.local:8080'],
  ['localhost:8080', 'https://localhost:8080'],
  ['', null],
  ['not an address', null],
  ['ftp://share.example.com', null],
  ['https://mia:secret@share.example.com', null],
  ['https://share.example.com/d/1?secret=2', null],
])('the service that %j names', (typed, address) => {
  expect(serviceAddress(typed)).toBe(address);
});

it('only plain HTTP beyond this machine can be read on the way', () => {
  const open = ['http://nas.local:8080', 'http://localhost:1', 'http://127.0.0.2', 'http://[::1]:1', 'https://x'].map(isOpenToReaders);
  expect(open).toEqual([true, false, false, false, false]);
});

it.each([
  ['northlight', { service: null, subdomain: 'northlight' }],
  ['https://share.example.com/p/northlight', { service: 'https://share.example.com', subdomain: 'northlight' }],
  ['share.example.com/ship/p/northlight/?x#y', { service: 'https://share.example.com/ship', subdomain: 'northlight' }],
  ['https://share.example.com/d/northlight', null],
  ['No', null],
])('the Portal that %j names', (typed, address) => {
  expect(portalAddressOf(typed)).toEqual(address);
  if (address) expect(portalAddressOf(portalText(address))).toEqual(address);
});

it('a package is to be had as long as was chosen', () => {
  const now = new Date(2026, 10, 21, 12);
  expect(expiryRequest({ kind: 'team' }, now)).toEqual({});
  expect(expiryRequest({ kind: 'never' }, now)).toEqual({ unlimited_storage: true });
  expect(expiryRequest({ kind: 'days', days: 2 }, now)).toEqual({ expiry: new Date(2026, 10, 23, 12).toISOString() });
  expect(expiryRequest({ kind: 'date', day: '2026-11-21' }, now)).toEqual({ expiry: new Date(2026, 10, 21, 23, 59, 59).toISOString() });
  expect(expiryRequest({ kind: 'date', day: '2026-11-20' }, now)).toBeNull();
  expect(expiryRequest({ kind: 'date', day: '' }, now)).toBeNull();
});

describe('the week of a limit', () => {
  const day = (start: string, end: string) => ({ enabled: true, start, end });
  it('reaches over midnight, from Sunday to Monday too', () => {
    const { schedule } = sampleRateLimit();
    const spans = spansOf({
      ...schedule,
      tue: day('08:00', '18:30'),
      fri: day('20:00', '06:00'),
      sun: day('22:00', '01:00'),
      wed: day('00:00', '00:00'),
    });
    expect(spans.tue).toEqual([{ from: 480, to: 1_110, over: false }]);
    expect(spans.fri).toEqual([{ from: 1_200, to: 1_440, over: false }]);
    expect(spans.sat).toEqual([{ from: 0, to: 360, over: true }]);
    expect(spans.mon).toEqual([{ from: 0, to: 60, over: true }]);
    expect(spans.wed).toEqual([{ from: 0, to: 1_440, over: false }]);
    expect(spans.thu).toEqual([]);
  });
  it.each([
    [0.25, 0.5, '06:00', '12:00'],
    [0.5, 0.25, '06:00', '12:00'],
    [0.5, 0.5, '12:00', '13:00'],
    [0, 1, '00:00', '00:00'],
    [0.99, 2, '23:45', '00:00'],
    [-1, 0.01, '00:00', '00:15'],
  ])('a drag from %d to %d', (from, to, start, end) => {
    expect(draggedDay(from, to)).toEqual(day(start, end));
  });
  it('is copied from Monday to the working days alone', () => {
    const { schedule } = sampleRateLimit();
    const copied = asMonday({ ...schedule, mon: day('08:00', '18:00') });
    expect([copied.fri.enabled, copied.sat.enabled]).toEqual([true, false]);
    expect([minutesOf('18:30'), timeOf(1_110), timeOf(1_440)]).toEqual([1_110, '18:30', '00:00']);
  });
});

it('the history stands under its days', () => {
  const at = (iso: string) => sampleTransfer({ id: iso, created_at: iso });
  const local = (...parts: [number, number, number, number]) => new Date(...parts).toISOString();
  const times = [local(2026, 10, 21, 9), local(2026, 10, 21, 1), local(2026, 10, 20, 23), local(2026, 10, 12, 8), local(2025, 10, 12, 8)];
  const days = byDay(times.map(at), new Date(2026, 10, 21, 12), 'en-GB');
  expect(days.map(({ label, transfers }) => `${label}: ${transfers.length}`)).toEqual([
    'Today: 2',
    'Yesterday: 1',
    'Thursday 12 November: 1',
    'Wednesday, 12 November 2025: 1',
  ]);
});

describe('what is dropped', () => {
  const file = (name: string, size: number): BrowserEntry => ({
    isFile: true,
    isDirectory: false,
    name,
    file: (found) => found(new File(['x'.repeat(size)], name, { lastModified: Date.parse('2026-11-19T17:40:00.123Z') })),
  });
  const folder = (name: string, entries: readonly BrowserEntry[]): BrowserEntry => ({
    isFile: false,
    isDirectory: true,
    name,
    createReader: () => ({ readEntries: (found) => found(entries) }),
  });

  it('has paths in the desktop app', () => {
    const data = { files: [new File(['x'], 'x.mov'), new File(['x'], 'mail')] } as unknown as DataTransfer;
    expect(droppedOf(data, { pathOf: ({ name }) => (name === 'mail' ? '' : `/media/${name}`) })).toEqual({
      kind: 'paths',
      paths: ['/media/x.mov'],
    });
  });

  it('is described in a browser by what it tells: files by name, size and time, folders by some of their files', async () => {
    const unreadable: BrowserEntry = { isFile: true, isDirectory: false, name: 'gone', file: (_, failed) => failed(new Error('gone')) };
    const clips = folder('clips', [file('two.mov', 5), file('three.mov', 7)]);
    const described = await describeEntries([file('one.mov', 3), folder('A001', [clips, file('notes.txt', 1)]), unreadable]);
    expect(described.map((one) => one.described)).toEqual([
      { kind: 'file', name: 'one.mov', size: 3, last_modified: '2026-11-19T17:40:00.123Z' },
      {
        kind: 'directory',
        name: 'A001',
        files: [
          { path: 'notes.txt', size: 1 },
          { path: 'clips/two.mov', size: 5 },
          { path: 'clips/three.mov', size: 7 },
        ],
      },
    ]);
  });

  it('tells few of many files', async () => {
    const many = folder(
      'many',
      Array.from({ length: 3_000 }, (_, index) => file(`${index}.dpx`, 1)),
    );
    const [described] = await describeEntries([many]);
    expect(described?.described).toMatchObject({ kind: 'directory', files: expect.objectContaining({ length: 10 }) });
  });
});

describe('the draft of a form to send', () => {
  const storage = (): Storage => {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    } as unknown as Storage;
  };

  it('is stored without its password, and read again', () => {
    const place = storage();
    const draft = { ...emptyDraft, paths: ['/media/A001'], recipients: ['post@studio.example'], password: 'tell no one' };
    storeDraft(place, draft);
    expect(storedDraft(place)).toEqual({ ...draft, password: '' });
    storeDraft(place, emptyDraft);
    expect(place.getItem('longshore.send-draft')).toBeNull();
  });

  it('of another version, or nonsense, counts as none', () => {
    for (const text of ['{', 'null', '7', '{"paths":"x"}', '{"recipients":null}', '{"expiry":3}']) {
      const place = storage();
      place.setItem('longshore.send-draft', text);
      expect(storedDraft(place), text).toEqual(emptyDraft);
    }
  });
});

describe('messages', () => {
  it('are loaded in the first of the person’s languages that has messages', async () => {
    expect(await loadLocale(['fr-FR', 'de-AT', 'en'])).toEqual({ language: 'de', tag: 'de-AT', messages: catalogues.de });
    expect(await loadLocale(['constructor'])).toEqual({ language: 'en', tag: 'en', messages: catalogues.en });
  });
  it('say something in every language', () => {
    const walk = (value: unknown, path: string): void => {
      if (typeof value === 'string') expect(value.trim(), path).not.toBe('');
      else if (typeof value === 'object' && value !== null) for (const [key, one] of Object.entries(value)) walk(one, `${path}.${key}`);
    };
    for (const [language, messages] of Object.entries({ ...catalogues, editorEn, editorDe })) walk(messages, language);
  });
});
