import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LedgerRow } from '#engine/automations/record.ts';
import { decide } from '#engine/automations/uploads/decide.ts';
import { knowledgeOf, renamedFrom } from '#engine/automations/uploads/knowledge.ts';
import type { SeenFile } from '#engine/automations/uploads/scan-folder.ts';
import { createStability } from '#engine/automations/uploads/stability.ts';
import { runs } from '#test/support/faults/seeds.ts';

/**
 * A watched folder, its ledger and its transfers as a model around the real rules: whatever comes in whatever order,
 * each version of a file that stays arrives once.
 */

const settleMs = 1_000;
const rule = { per: 'entry', folderName: 'hot', settleMs } as const;

function createModel() {
  const files = new Map<string, SeenFile>();
  const ledger = new Map<string, LedgerRow>();
  const arrived = new Map<string, number>();
  let stability = createStability();
  let now = 0;
  let last = 0;
  const next = (): number => ++last;
  const versionOf = ({ identity, size, mtimeMs }: Pick<SeenFile, 'identity' | 'size' | 'mtimeMs'>): string =>
    `${identity} ${size} ${mtimeMs}`;
  const rows = (): LedgerRow[] => [...ledger.values()];

  const pass = (): void => {
    const seen = [...files.values()];
    const known = seen.map((file) => {
      const byIdentity = rows().filter(({ identity }) => identity === file.identity);
      const byKey = ledger.get(file.path) ?? null;
      const direct = byKey ? knowledgeOf(file, { byKey, byIdentity: [], byContent: [] }) : 'new';
      const row = direct === 'new' ? renamedFrom(file, byIdentity) : undefined;
      return { file, row, knowledge: knowledgeOf(file, { byKey, byIdentity, byContent: [] }) };
    });
    stability.observe(
      known.filter(({ knowledge }) => knowledge === 'new').map(({ file }) => file),
      now,
    );
    const renamed = known.filter(({ row }) => row && row.state !== 'sending');
    for (const { file, row } of renamed) ledger.set(file.path, { ...row!, key: file.path, path: file.path });
    for (const { row } of renamed) if (row!.state !== 'failed' && !files.has(row!.key)) ledger.delete(row!.key);
    const candidates = known.map(({ file, knowledge }) => ({
      file,
      verdict: { sent: true, ready: true, by: '' },
      known: knowledge,
      stillFor: stability.stillFor(file, now),
      open: false,
    }));
    for (const { files: chosen } of decide(candidates, { emptyFolders: [], troubles: [] }, rule).packages) {
      const transferId = String(next());
      for (const { path, size, mtimeMs, identity } of chosen) {
        const row = { id: next(), key: path, path, size, modifiedAt: mtimeMs, identity, blake3: '', packageId: '', transferId };
        ledger.set(path, { ...row, state: 'sending', message: '', target: '', at: now });
      }
    }
  };

  /** Transfers end: each sends what is at its paths now, as uploads do with files that change on their way. */
  const settle = (cancelled: boolean): void => {
    for (const row of rows().filter(({ state }) => state === 'sending')) {
      const file = files.get(row.key);
      if (cancelled || !file) ledger.set(row.key, { ...row, state: 'failed' });
      else {
        arrived.set(versionOf(file), (arrived.get(versionOf(file)) ?? 0) + 1);
        ledger.set(row.key, { ...row, state: 'sent', size: file.size, modifiedAt: file.mtimeMs, identity: file.identity });
      }
    }
  };
  const forgetFailed = (): void => {
    for (const row of rows()) if (row.state === 'failed') ledger.delete(row.key);
  };

  return {
    write(path: string) {
      const before = files.get(path);
      const identity = before?.identity ?? `${next()}:0`;
      files.set(path, { path, size: next() % 3, mtimeMs: next() + 0.5, ctimeMs: 0, identity, inode: `1:${identity.split(':')[0]}` });
    },
    rename(from: string, to: string) {
      const file = files.get(from);
      if (!file || from === to) return;
      files.delete(from);
      files.set(to, { ...file, path: to });
    },
    remove: (path: string) => void files.delete(path),
    wait(ms: number) {
      now += ms;
    },
    restart() {
      stability = createStability();
    },
    pass,
    settle,
    forgetFailed,
    end() {
      // Twice, since what failed is forgotten by a person and then sent.
      for (let round = 0; round < 3; round++) {
        pass();
        now += settleMs;
        pass();
        settle(false);
        forgetFailed();
      }
    },
    missing: () => [...files.values()].filter((file) => !arrived.has(versionOf(file))).map(({ path }) => path),
    twice: () => [...arrived].filter(([, times]) => times > 1).map(([version]) => version),
  };
}

const path = fc.constantFrom('a', 'b', 'card/1', 'card/2');
const step = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path }),
  fc.record({ do: fc.constant('rename' as const), path, to: path }),
  fc.record({ do: fc.constant('remove' as const), path }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(100, 600, 2_000) }),
  fc.record({ do: fc.constantFrom('pass' as const, 'restart' as const, 'complete' as const, 'cancel' as const, 'forget' as const) }),
);

it('sends each version that stays once, whatever comes in whatever order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const model = createModel();
      for (const one of steps) {
        if (one.do === 'write') model.write(one.path);
        else if (one.do === 'rename') model.rename(one.path, one.to);
        else if (one.do === 'remove') model.remove(one.path);
        else if (one.do === 'wait') model.wait(one.ms);
        else if (one.do === 'pass') model.pass();
        else if (one.do === 'restart') model.restart();
        else if (one.do === 'forget') model.forgetFailed();
        else model.settle(one.do === 'cancel');
      }
      model.end();
      expect([model.missing(), model.twice()]).toEqual([[], []]);
    }),
    { numRuns: runs(500, 20_000) },
  );
});

it('does not take a file for another one that had its inode', () => {
  const row = { key: 'a', size: 5, modifiedAt: 2_000, identity: '7:0', state: 'sent' } as LedgerRow;
  const file = { path: 'b', size: 5, mtimeMs: 2_000, ctimeMs: 0, identity: '7:0', inode: '1:7' };
  // An archive gives whole seconds, and this disk keeps no birth.
  expect(knowledgeOf(file, { byKey: null, byIdentity: [row], byContent: [] })).toBe('new');
  const born = { ...file, identity: '7:123' };
  expect(knowledgeOf(born, { byKey: null, byIdentity: [{ ...row, identity: '7:123' }], byContent: [] })).toBe('sent');
  expect(knowledgeOf(born, { byKey: null, byIdentity: [{ ...row, identity: '7:123', state: 'deleted' }], byContent: [] })).toBe('new');
});
