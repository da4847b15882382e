import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileChange, namedChanges, type PackageEvent } from '#protocol/hosted/package-events.ts';
import { createPermits } from '#service/http/permits.ts';
import { changesOf, changesPackage } from '#service/realtime/changes.ts';
import { addChanges, mergeEvents, noChanges } from '#service/realtime/event.ts';
import { parseMessage } from '#service/realtime/message.ts';

const ids = fc.integer({ min: 0, max: 150 }).map((n) => `file-${n}`);
const change: fc.Arbitrary<FileChange> = fc.record({ change: fc.constantFrom('created', 'finalized', 'deleted'), id: ids });
const event: fc.Arbitrary<PackageEvent> = fc
  .record({
    type: fc.constantFrom('progress', 'progress', 'finalized', 'expired'),
    finalized: fc.nat(100),
    changes: fc.uniqueArray(change, { selector: ({ id }) => id, maxLength: namedChanges }),
    unnamed_changes: fc.nat(50),
  })
  .map(({ finalized, ...rest }) => ({
    ...rest,
    at: '2026-11-20T18:04:11.000Z',
    package_id: 'p',
    state: 'new',
    files: { total: 100, finalized },
    bytes: { total: 0, finalized: 0 },
  }));

describe('events that a slow reader has not taken yet', () => {
  it('are merged: bounded, with the last of each file and the newest totals, and no change is lost', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 8 }), (events) => {
        const merged = events.reduce<PackageEvent | null>(mergeEvents, null)!;
        expect(merged.changes.length).toBeLessThanOrEqual(namedChanges);
        expect(new Set(merged.changes.map(({ id }) => id)).size).toBe(merged.changes.length);
        expect(merged.files).toEqual(events.at(-1)!.files);
        const told = events.flatMap(({ changes }) => changes);
        for (const { id, change: last } of merged.changes) expect(last).toBe(told.findLast((one) => one.id === id)!.change);
        // Whatever is not named any more is counted, at least once.
        const named = new Set(merged.changes.map(({ id }) => id));
        const others = new Set(told.map(({ id }) => id).filter((id) => !named.has(id)));
        const before = events.reduce((sum, { unnamed_changes }) => sum + unnamed_changes, 0);
        expect(merged.unnamed_changes).toBeGreaterThanOrEqual(before + others.size);
        if (others.size > 0) expect(merged.changes).toHaveLength(namedChanges);
      }),
    );
  });

  it.each([
    ['state', 'progress', 'state'],
    ['state', 'finalized', 'state'],
    ['progress', 'progress', 'progress'],
    ['progress', 'finalized', 'finalized'],
    ['finalized', 'progress', 'finalized'],
    ['finalized', 'expired', 'expired'],
    ['expired', 'progress', 'expired'],
  ] as const)('%s and then %s are merged to %s', (earlier, later, type) => {
    const [one] = fc.sample(event, 1);
    expect(mergeEvents({ ...one!, type: earlier }, { ...one!, type: later }).type).toBe(type);
  });
});

describe('changes that wait to be published', () => {
  it('are named up to the limit of one message, and counted beyond it', () => {
    const list = noChanges();
    addChanges(list, new Map(Array.from({ length: namedChanges + 5 }, (_, n) => [`f${n}`, 'created' as const])), 2);
    expect([list.named.size, list.unnamed]).toEqual([namedChanges, 7]);
    addChanges(list, new Map([['f3', 'finalized']]));
    addChanges(list, new Map([['another', 'created']]));
    expect([list.named.get('f3'), list.named.size, list.unnamed]).toEqual(['finalized', namedChanges, 8]);
  });

  it('are those of one call', () => {
    const call = (params: object, body: object, result: unknown) => ({ params, body, result });
    expect([...changesOf('createFile', call({}, {}, { file: { id: 'a', state: 'new' } }))]).toEqual([['a', 'created']]);
    expect([...changesOf('createFile', call({}, {}, { file: { id: 'a', state: 'finalized' } }))]).toEqual([['a', 'finalized']]);
    const batch = { files: [{ file: { id: 'a' } }, { error: {} }, { file: { id: 'b' } }] };
    expect([...changesOf('createFiles', call({}, {}, batch))].map(([id]) => id)).toEqual(['a', 'b']);
    const done = { files: [{ file_id: 'a' }, { file_id: 'b', error: { code: 1 } }] };
    expect([...changesOf('finalizeFiles', call({}, {}, done))]).toEqual([['a', 'finalized']]);
    expect([...changesOf('recordFiles', call({}, {}, done))]).toEqual([['a', 'finalized']]);
    expect([...changesOf('finalizeFile', call({ file_id: 'a' }, {}, undefined))]).toEqual([['a', 'finalized']]);
    expect([...changesOf('deleteFile', call({ file_id: 'a' }, {}, undefined))]).toEqual([['a', 'deleted']]);
    expect([...changesOf('finalizePackage', call({}, {}, undefined))]).toEqual([]);
    expect(changesPackage('deletePackage')).toBe(true);
    expect(changesPackage('updatePackage')).toBe(false);
    expect(changesPackage('getPackage')).toBe(false);
  });
});

describe('a message between processes', () => {
  const said = { type: 'changed', from: 'x', package: 'p', changes: [['a', 'created']], unnamed: 0 };
  it('is read when it is complete', () => {
    expect(parseMessage(JSON.stringify(said))).toEqual(said);
    expect(parseMessage(JSON.stringify({ type: 'who', from: 'x' }))).toEqual({ type: 'who', from: 'x' });
  });

  it.each(['', '{', 'null', '[]', '{"type":"later","from":"x"}', JSON.stringify({ ...said, changes: [['a', 'moved']] }), '{"type":"who"}'])(
    'is nothing when it is %s',
    (text) => {
      expect(parseMessage(text)).toBeNull();
    },
  );
});

describe('permits of streams', () => {
  it('are limited for each owner and in total; each is returned once', () => {
    const permits = createPermits({ perHolder: 2, total: 3 });
    const [first, second] = [permits.acquire('a'), permits.acquire('a')];
    const full = expect.objectContaining({ error: 'rate_limited' });
    expect(() => permits.acquire('a')).toThrow(full);
    const other = permits.acquire('b');
    expect(() => permits.acquire('c')).toThrow(full);
    first();
    first();
    const third = permits.acquire('c');
    expect(() => permits.acquire('a')).toThrow(full);
    for (const give of [second, other, third]) give();
    for (let n = 0; n < 2; n++) permits.acquire('a');
  });
});
