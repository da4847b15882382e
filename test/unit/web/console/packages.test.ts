import { describe, expect, it } from 'vitest';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { endOfDay, expiryDay } from '#web/console/packages/actions.ts';
import { runBulk } from '#web/console/packages/bulk.ts';
import { apiQueryOf, isFiltered, listOf } from '#web/console/packages/list-query.ts';
import { answerText } from '#web/console/ui/answer-text.ts';
import { programName } from '#web/console/ui/program-name.ts';

describe('the list in the address', () => {
  const api = (query: string) => apiQueryOf(listOf(new URLSearchParams(query)));

  it.each([
    ['', { sort: '-created_at', status: ['finalized'] }],
    ['show=sent', { sort: '-created_at', status: ['finalized'], received: false }],
    ['show=archived&sort=name', { sort: 'name', status: ['archived'] }],
    ['show=none&sort=none', { sort: '-created_at', status: ['finalized'] }],
    ['q=%20dailies&min=1,5&max=x&tag=t1', { sort: '-created_at', status: ['finalized'], name: 'dailies', size_min: 1_500_000, tags: 't1' }],
    ['from=2026-11-01&to=yesterday', { sort: '-created_at', status: ['finalized'], created_at_start: '2026-11-01' }],
  ])('%s', (query, expected) => {
    expect(api(query)).toEqual(expected);
  });

  it('knows whether something is looked for', () => {
    expect(isFiltered(listOf(new URLSearchParams('show=expired')))).toBe(false);
    expect(isFiltered(listOf(new URLSearchParams('sender=a@example.com')))).toBe(true);
  });
});

describe('an action on many', () => {
  const items = Array.from({ length: 20 }, (_, index) => index);

  it('goes on after failures, and names them', async () => {
    const seen: number[] = [];
    const result = await runBulk(
      items,
      async (item) => {
        if (item % 7 === 0) throw new Error(`no ${item}`);
      },
      { signal: new AbortController().signal, onProgress: (over) => seen.push(over) },
    );
    expect(result.done).toBe(17);
    expect(result.left).toBe(0);
    expect(result.failures.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual([0, 7, 14]);
    expect(seen).toEqual(items.map((index) => index + 1));
  });

  it('stops where it is asked to, once those under way are over', async () => {
    const stop = new AbortController();
    const result = await runBulk(
      items,
      async (item) => {
        if (item === 3) stop.abort();
      },
      { signal: stop.signal, onProgress: () => undefined },
    );
    expect(result.failures).toEqual([]);
    expect(result.done + result.left).toBe(items.length);
    expect(result.done).toBeGreaterThanOrEqual(4);
    expect(result.left).toBeGreaterThan(0);
  });
});

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    'Edge 140, Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Safari 18, macOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140, Linux'],
  ['longshore/0.1.0 (linux)', 'longshore 0.1.0'],
  ['', '–'],
])('programName(%j)', (userAgent, name) => {
  expect(programName(userAgent)).toBe(name);
});

it('begins to change an expiry at the day that it is on, where the person is', () => {
  const at = (expiry: string, unlimited_storage = false) => expiryDay({ expiry, unlimited_storage });
  expect(at(endOfDay('2031-03-01'))).toBe('2031-03-01');
  expect(at(endOfDay('2031-03-01'), true)).toBe('');
  expect(at(unsetDateTime)).toBe('');
});

it.each([
  [true, 'ja'],
  [false, 'nein'],
  [['A', 'B'], 'A, B'],
  ['false', 'false'],
] as const)('an answer of %j is read as %s', (value, text) => {
  expect(answerText(value as never, { yes: 'ja', no: 'nein' })).toBe(text);
});
