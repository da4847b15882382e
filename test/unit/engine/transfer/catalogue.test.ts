import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCatalogue } from '#engine/transfer/catalogue.ts';
import { goesBefore } from '#engine/transfer/order.ts';
import type { TransferRecord, UploadRecord } from '#engine/transfer/record.ts';
import type { Phase } from '#engine/transfer/states.ts';

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
    facts: { scanned: true, packageId: '', packageFinalized: false, cleanUpDue: false },
    secrets: {},
    ...change,
  };
}

function filled(records: readonly TransferRecord[]) {
  const map = new Map(records.map((record) => [record.id, record]));
  const catalogue = createCatalogue(map);
  return {
    catalogue,
    put(record: TransferRecord) {
      catalogue.changed(map.get(record.id) ?? null, record);
      map.set(record.id, record);
    },
    remove(id: string) {
      catalogue.changed(map.get(id) ?? null, null);
      map.delete(id);
    },
  };
}

const done = (finishedAt: number): Phase => ({ state: 'complete', finishedAt });

describe('the list of transfers', () => {
  it('gives those whose turn comes in the order of their turns, then what is over, the last first', () => {
    const { catalogue } = filled([
      upload(1, { phase: done(5) }),
      upload(2),
      upload(3, { priority: 'high' }),
      upload(4, { phase: done(9) }),
      upload(5, { priority: 'low', phase: { state: 'transferring' } }),
      upload(6, { phase: { state: 'error', failure: { code: 1, message: 'no', retryable: true } } }),
      upload(7, { phase: { state: 'cancelled', finishedAt: 7 } }),
    ]);
    expect(catalogue.list({ sort: 'queue' })).toEqual(['t3', 't2', 't6', 't5', 't4', 't7', 't1']);
  });

  it('finds by kind, state, name, Team and Portal, all at once', () => {
    const portal = { ...upload(3).request, teamId: '', portal: { id: 'p', name: 'Post', sender: 'a@b.c' } };
    const { catalogue } = filled([upload(1), upload(2, { name: 'Sound', phase: done(1) }), upload(3, { request: portal })]);
    expect(catalogue.list({ sort: 'position', name: 'REEL' })).toEqual(['t1', 't3']);
    expect(catalogue.list({ sort: 'position', team_id: 'team' })).toEqual(['t1', 't2']);
    expect(catalogue.list({ portal_id: 'p' })).toEqual(['t3']);
    expect(catalogue.list({ state: ['complete'], kind: 'upload' })).toEqual(['t2']);
    expect(catalogue.list({ kind: 'download' })).toEqual([]);
    expect(catalogue.states({ name: 'reel' })).toMatchObject({ queued: 2, complete: 0 });
  });

  it('says the same after any changes as if it had remembered nothing', () => {
    const deed = fc.record({
      id: fc.nat(6),
      what: fc.constantFrom('put' as const, 'remove' as const),
      position: fc.nat(20),
      priority: fc.constantFrom('low' as const, 'normal' as const, 'high' as const),
      state: fc.constantFrom<Phase>({ state: 'queued' }, { state: 'transferring' }, done(3), done(8)),
      name: fc.constantFrom('a', 'b', 'Ab'),
      totalBytes: fc.nat(5),
    });
    const sorts = ['queue', 'name', '-total_bytes', 'total_bytes', '-finished_at', 'state', '-created_at'] as const;
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 25 }), (deeds) => {
        const { catalogue, put, remove } = filled([]);
        const records = new Map<string, TransferRecord>();
        for (const { id, what, state, ...rest } of deeds) {
          if (what === 'remove') {
            remove(`t${id}`);
            records.delete(`t${id}`);
          } else {
            const record = upload(id, { ...rest, phase: state });
            put(record);
            records.set(record.id, record);
          }
          const fresh = createCatalogue(records);
          for (const sort of sorts) expect(catalogue.list({ sort, name: 'a' })).toEqual(fresh.list({ sort, name: 'a' }));
          expect(catalogue.states({})).toEqual(fresh.states({}));
        }
      }),
    );
  });

  it('orders turns as the queue takes them', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('low' as const, 'normal' as const, 'high' as const), { maxLength: 12 }), (priorities) => {
        const records = priorities.map((priority, number) => upload(number, { priority }));
        const { catalogue } = filled(records);
        const byTurn = [...records].sort((a, b) => (goesBefore(a, b) ? -1 : 1)).map(({ id }) => id);
        expect(catalogue.list({ sort: 'queue' })).toEqual(byTurn);
      }),
    );
  });

  it('is remembered while nothing changes that it hangs on, and costs no sorting then', () => {
    const { catalogue, put } = filled([upload(1), upload(2)]);
    const before = catalogue.list({ sort: 'queue' });
    put(upload(2, { bytes: 7, totalBytes: 9 }));
    expect(catalogue.list({ sort: 'queue' })).toBe(before);
    put(upload(2, { position: 0 }));
    expect(catalogue.list({ sort: 'queue' })).toEqual(['t2', 't1']);
  });
});
