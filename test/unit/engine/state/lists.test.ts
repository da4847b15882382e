import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { type ListFilter, transferLists } from '#engine/state/lists.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { goesBefore, ranks } from '#engine/transfer/order.ts';
import type { DownloadRecord, TransferRecord, UploadRecord } from '#engine/transfer/record.ts';
import { isOver, type Phase } from '#engine/transfer/state-machine.ts';
import { transferStates } from '#protocol/agent/transfer-states.ts';
import type { TransferQuery } from '#protocol/agent/transfers.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

function upload(number: number, change: Partial<UploadRecord> = {}): UploadRecord {
  return {
    id: `t${number}`,
    kind: 'upload',
    phase: { state: 'queued' },
    name: `Reel ${number}`,
    priority: 'normal',
    position: number,
    rateLimit: 0,
    bytes: 0,
    totalBytes: 0,
    files: 0,
    totalFiles: 0,
    createdAt: number,
    updatedAt: number,
    request: { serviceUrl: 'http://s', teamId: 'team', paths: ['/'], description: '', recipients: [], autoFinalize: true },
    added: [],
    facts: { scanned: true, package: { state: 'none' } },
    secrets: {},
    ...change,
  };
}

function download(number: number, change: Partial<DownloadRecord> = {}): DownloadRecord {
  const { request: _request, added: _added, facts: _facts, secrets: _secrets, ...common } = upload(number);
  const request = {
    serviceUrl: 'http://s',
    source: { kind: 'link', linkId: 'l', shownUrl: 'u' } as const,
    dstFolder: '/',
    fileIds: null,
    createPackageFolder: false,
  };
  return {
    ...common,
    kind: 'download',
    request,
    facts: { packageId: '', root: '', planned: true },
    secrets: { linkSecret: 's' },
    ...change,
  };
}

const done = (finishedAt: number): Phase => ({ state: 'complete', finishedAt });
const failed: Phase = { state: 'error', failure: { code: 1, message: 'no', retryable: true } };

let folder: Awaited<ReturnType<typeof tempFolder>>;
let store: Store;
beforeEach(async () => {
  folder = await tempFolder();
  store = openStore(openDatabase(folder.path, { now: 0 }), sealerOf(Buffer.alloc(32)), createFakeClock());
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

function fill(...records: readonly TransferRecord[]): void {
  store.writer.write(() => {
    for (const record of records) store.transfers.insert(record);
  });
}

const list = (query: Partial<TransferQuery>): string[] => store.lists.page({ page: 1, limit: 500, ...query });

describe('the list of transfers', () => {
  it('gives those whose turn comes in the order of their turns, then what is over, the last first', () => {
    fill(
      upload(1, { phase: done(5) }),
      upload(2),
      upload(3, { priority: 'high' }),
      upload(4, { phase: done(9) }),
      upload(5, { priority: 'low', phase: { state: 'transferring' } }),
      upload(6, { phase: failed }),
      upload(7, { phase: { state: 'cancelled', finishedAt: 7 } }),
    );
    expect(list({ sort: 'queue' })).toEqual(['t3', 't2', 't6', 't5', 't4', 't7', 't1']);
    expect([1, 2, 3].map((page) => list({ sort: 'queue', page, limit: 3 }))).toEqual([['t3', 't2', 't6'], ['t5', 't4', 't7'], ['t1']]);
    expect(store.lists.line().map(({ id, position }) => `${id} ${position}`)).toEqual(['t3 3', 't2 2', 't6 6', 't5 5']);
  });

  it('finds by kind, state, name, Team and Portal, all at once', () => {
    const portal = { ...upload(3).request, teamId: '', portal: { id: 'p', name: 'Post', sender: 'a@b.c' } };
    fill(upload(1), upload(2, { name: 'Sound', phase: done(1) }), upload(3, { request: portal }));
    expect(list({ sort: 'position', name: 'REEL' })).toEqual(['t1', 't3']);
    expect(list({ sort: 'position', team_id: 'team' })).toEqual(['t1', 't2']);
    expect(list({ portal_id: 'p' })).toEqual(['t3']);
    expect(list({ state: ['complete'], kind: 'upload' })).toEqual(['t2']);
    expect(list({ kind: 'download' })).toEqual([]);
    expect(store.lists.states({ name: 'reel' })).toMatchObject({ queued: 2, complete: 0 });
  });

  it('finds a part of a name whatever its case and script, and what looks like a pattern as it is', () => {
    fill(upload(1, { name: 'ÜBERSICHT 100%' }), upload(2, { name: 'ДУБЛЬ_1' }), upload(3, { name: 'übersicht 1000' }));
    expect(list({ sort: 'position', name: 'Übersicht' })).toEqual(['t1', 't3']);
    expect(list({ name: 'дубль' })).toEqual(['t2']);
    expect(list({ name: '100%' })).toEqual(['t1']);
    expect(list({ name: '_' })).toEqual(['t2']);
  });

  it('forgets what has left it', () => {
    fill(upload(1), upload(2, { phase: done(1) }));
    store.writer.write(() => store.transfers.hide('t2'));
    expect([list({}), store.lists.all({}), store.lists.among(['t1', 't2'], {}), store.lists.overBefore(9)]).toEqual([
      ['t1'],
      ['t1'],
      ['t1'],
      [],
    ]);
    expect(store.lists.states({}).complete).toBe(0);
  });

  it('counts those that queue or run by their service', () => {
    const elsewhere = { ...upload(1).request, serviceUrl: 'http://other' };
    fill(
      upload(1),
      download(2, { phase: { state: 'transferring' } }),
      upload(3, { request: elsewhere }),
      upload(4, { phase: done(1) }),
      upload(5, { phase: { state: 'paused', since: 1, until: null } }),
    );
    expect(['http://s', 'http://other', 'http://none'].map((url) => store.lists.withService(url))).toEqual([2, 1, 0]);
  });

  it('finds old transfers, those due for cleanup, those paused until a time, and the last changed', () => {
    const owing = { ...upload(3).facts, package: { state: 'to_delete', id: 'p' } } as const;
    fill(
      upload(1, { phase: done(5), updatedAt: 50 }),
      upload(2, { phase: done(9), updatedAt: 10 }),
      upload(3, { phase: { state: 'cancelled', finishedAt: 2 }, facts: owing, updatedAt: 20 }),
      download(4, { phase: { state: 'cancelled', finishedAt: 1 }, updatedAt: 30 }),
      upload(5, { phase: { state: 'paused', since: 1, until: 99 } }),
      upload(6, { phase: { state: 'paused', since: 1, until: null } }),
    );
    expect(store.lists.overBefore(9)).toEqual(['t4', 't1']);
    expect(store.lists.dueForCleanup()).toEqual(['t3']);
    expect(store.lists.pausedForATime()).toEqual(['t5']);
    expect(store.lists.lastChanged(['complete', 'cancelled'], 3)).toEqual(['t1', 't4', 't3']);
    store.writer.write(() => {
      store.transfers.update(upload(3, { phase: { state: 'queued' } }));
      store.transfers.update(upload(5, { phase: { state: 'queued' } }));
    });
    expect([store.lists.dueForCleanup(), store.lists.pausedForATime()]).toEqual([[], []]);
  });

  it('says the same after any changes as a list that is filtered and sorted whole', () => {
    const states: Phase[] = [
      { state: 'queued' },
      { state: 'transferring' },
      { state: 'paused', since: 1, until: null },
      failed,
      done(3),
      done(8),
    ];
    const priority = fc.constantFrom('low' as const, 'normal' as const, 'high' as const);
    const deed = fc.record({
      number: fc.nat(8),
      what: fc.constantFrom('put' as const, 'put' as const, 'place' as const, 'hide' as const),
      kind: fc.constantFrom('upload' as const, 'download' as const),
      position: fc.nat(40),
      priority,
      phase: fc.constantFrom(...states),
      name: fc.constantFrom('a', 'b', 'Ab', 'Ä'),
      totalBytes: fc.nat(5),
    });
    const filter = fc.record(
      {
        kind: fc.constantFrom('upload' as const, 'download' as const),
        state: fc.subarray([...transferStates]),
        name: fc.constantFrom('', 'A', 'ä'),
        team_id: fc.constantFrom('team', 'other'),
        needs_person: fc.boolean(),
        waitingForPerson: fc.constant(['t1', 't3']),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<ListFilter>;
    const sorts = ['queue', ...(Object.keys(sortKeys) as Field[]).flatMap((field) => [field, `-${field}`] as const)] as const;
    const question = fc.record({ filter, sort: fc.constantFrom(...sorts), limit: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 20 }), fc.array(question, { minLength: 1, maxLength: 6 }), (deeds, questions) => {
        const known = new Map<string, TransferRecord>();
        const gone = new Set<string>();
        let made = 0;
        store.writer.write(() => {
          for (const { number, what, kind, position, ...rest } of deeds) {
            const id = `t${number}`;
            // The positions of a queue differ.
            const place = position * 10 + number;
            const before = known.get(id);
            if (gone.has(id) || (!before && what !== 'put')) continue;
            if (!before) {
              const record = (kind === 'upload' ? upload : download)(number, { ...rest, position: place, createdAt: made++ } as object);
              store.transfers.insert(record);
              known.set(id, record);
            } else if (what === 'put') {
              const record = { ...before, ...rest, position: place };
              store.transfers.update(record);
              known.set(id, record);
            } else if (what === 'place') {
              store.transfers.setPosition(id, place);
              known.set(id, { ...before, position: place });
            } else {
              store.transfers.hide(id);
              known.delete(id);
              gone.add(id);
            }
          }
        });
        const records = [...known.values()];
        for (const { filter: wanted, sort, limit } of questions) {
          const matching = records.filter(matcher(wanted));
          const expected = ordered(matching, sort).map(({ id }) => id);
          const pages = Array.from({ length: Math.ceil(expected.length / limit) + 1 }, (_, page) =>
            store.lists.page({ ...wanted, sort, page: page + 1, limit }),
          );
          expect(pages.flat()).toEqual(expected);
          expect(store.lists.all(wanted).toSorted()).toEqual(expected.toSorted());
          expect(store.lists.among(['t1', 't2', 'nobody'], wanted).toSorted()).toEqual(
            expected.filter((id) => id === 't1' || id === 't2').toSorted(),
          );
          const inState = (state: string): number => matching.filter(({ phase }) => phase.state === state).length;
          expect(store.lists.states(wanted)).toEqual(Object.fromEntries(transferStates.map((state) => [state, inState(state)])));
          const left = matching.filter(({ phase }) => !isOver(phase)).reduce((sum, one) => sum + one.totalBytes - one.bytes, 0);
          expect(store.lists.bytesLeft(wanted)).toBe(left);
        }
        const turns = records.filter(({ phase }) => phase.state === 'queued').sort((a, b) => (goesBefore(a, b) ? -1 : 1));
        expect([...store.lists.queued()]).toEqual(turns.map(({ id }) => id));
        store.writer.write(() => {
          for (const id of [...known.keys(), ...gone]) store.transfers.remove(id);
        });
      }),
    );
  });

  it.each(['queue', 'name', '-total_bytes', 'state', '-created_at'] as const)(
    'reads a page by %s where it stands, and sorts nothing',
    (sort) => {
      const opened = openDatabase(`${folder.path}/second`, { now: 0 });
      const statements: string[] = [];
      const listening = Object.assign(Object.create(opened.db) as typeof opened.db, {
        prepare(sql: string) {
          statements.push(sql);
          return opened.db.prepare(sql);
        },
      });
      const lists = transferLists(listening);
      statements.length = 0;
      lists.page({ page: 3, limit: 9, sort, state: ['complete', 'cancelled'], kind: 'upload', name: 'x' });
      const [page] = statements;
      const plan = opened.db
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${page}`)
        .all('complete', 'cancelled', 'upload', 'x', 9, 18);
      expect(plan.map(({ detail }) => detail).join('\n')).not.toMatch(/TEMP B-TREE|SCAN transfers$/m);
      opened.db.close();
    },
  );
});

/** The list as it is meant: filtered and sorted by JavaScript. */
type Field = 'position' | 'created_at' | 'finished_at' | 'name' | 'state' | 'total_bytes';

const finishedAt = ({ phase }: TransferRecord): number => ('finishedAt' in phase ? phase.finishedAt : 0);

const sortKeys: Readonly<Record<Field, (record: TransferRecord) => string | number>> = {
  position: (record) => record.position,
  created_at: (record) => record.createdAt,
  finished_at: finishedAt,
  name: (record) => record.name,
  state: (record) => record.phase.state,
  total_bytes: (record) => record.totalBytes,
};

function matcher({
  kind,
  state = [],
  name = '',
  team_id: team,
  needs_person: needs,
  waitingForPerson: waits = [],
}: ListFilter): (record: TransferRecord) => boolean {
  return (record) => {
    if (kind !== undefined && record.kind !== kind) return false;
    if (state.length > 0 && !state.includes(record.phase.state)) return false;
    if (needs !== undefined && needs !== (record.phase.state === 'error' || waits.includes(record.id))) return false;
    if (team !== undefined && !(record.kind === 'upload' && record.request.teamId === team)) return false;
    return record.name.toLowerCase().includes(name.toLowerCase());
  };
}

function ordered(records: readonly TransferRecord[], sort: 'queue' | Field | `-${Field}`): TransferRecord[] {
  if (sort === 'queue') {
    const toCome = records.filter(({ phase }) => !isOver(phase) || phase.state === 'error');
    const over = records.filter((record) => !toCome.includes(record));
    toCome.sort((a, b) => ranks[a.priority] - ranks[b.priority] || a.position - b.position);
    over.sort((a, b) => finishedAt(b) - finishedAt(a) || b.position - a.position);
    return [...toCome, ...over];
  }
  const key = sortKeys[sort.replace(/^-/, '') as Field];
  const sign = sort.startsWith('-') ? -1 : 1;
  return records.toSorted((a, b) => {
    const [left, right] = [key(a), key(b)];
    return sign * (left < right ? -1 : left > right ? 1 : a.position - b.position);
  });
}
