import { describe, expect, it } from 'vitest';
import type { Candidate } from '#engine/automations/uploads/decide.ts';
import { leastGrowingBytes, type OpenPackage, planGrowing } from '#engine/automations/uploads/growing/growing-plan.ts';
import { createStability } from '#engine/automations/uploads/stability.ts';

const settleMs = 60_000;

/** `+`: seen to grow; `…`: seen to change a moment ago; `-`: its name says not yet; `✓`: known; otherwise still. */
function candidate(text: string): Candidate {
  const path = text.replace(/[+…✓-]$/, '');
  const grows = text.endsWith('+');
  const file = { path, size: leastGrowingBytes, mtimeMs: 1.5, ctimeMs: 1.5, identity: '7:1', inode: '1:7' };
  return {
    file,
    verdict: { sent: true, ready: !text.endsWith('-'), by: '' },
    known: text.endsWith('✓') ? 'under_way' : 'new',
    stillFor: grows || text.endsWith('…') ? 0 : settleMs,
    settleMs,
    hasGrown: grows,
    open: false,
  };
}

interface Given {
  readonly per?: 'entry' | 'batch';
  readonly open?: readonly OpenPackage[];
  readonly emptyFolders?: readonly string[];
  readonly troubles?: readonly string[];
}

function plan(paths: readonly string[], { per = 'entry', open = [], emptyFolders = [], troubles = [] }: Given = {}) {
  const scan = { emptyFolders, troubles: troubles.map((path) => ({ path, reason: 'unreadable' })) };
  const { begins, joins, closes, rest } = planGrowing(paths.map(candidate), scan, open, { per, folderName: 'in' });
  const marked = ({ files, whole }: (typeof joins)[number] | (typeof begins)[number]) =>
    files.map(({ path }) => (whole?.has(path) ? path : `${path}+`));
  return {
    begins: begins.map((one) => [one.name, ...marked(one)]),
    joins: joins.map((one) => [one.transferId, ...marked(one)]),
    closes: closes.map(({ transferId, emptyFolders: folders }) => [transferId, ...folders]),
    rest: rest.map(({ file }) => file.path),
  };
}

const nothing = { begins: [], joins: [], closes: [] };
const open = (transferId: string, entry: string | null, isSent = false): OpenPackage => ({ transferId, entry, isSent });

describe('packages that begin while their files grow', () => {
  it('begin with a file that was seen to grow, and take all of its entry', () => {
    expect(plan(['a.mov+', 'card/1.mov+', 'card/1.xml', 'card/2.mov…', 'b.mov'])).toEqual({
      ...nothing,
      begins: [
        ['a.mov', 'a.mov+'],
        ['card', 'card/1.mov+', 'card/1.xml', 'card/2.mov+'],
      ],
      rest: ['b.mov'],
    });
  });

  it('do not begin for what only changes, nor for a small file, nor for a name that is not ready', () => {
    expect(plan(['a.mov…', 'b.mov.part-'])).toEqual({ ...nothing, rest: ['a.mov', 'b.mov.part'] });
    const small = { ...candidate('c.mov+'), file: { ...candidate('c.mov+').file, size: leastGrowingBytes - 1 } };
    expect(planGrowing([small], { emptyFolders: [], troubles: [] }, [], { per: 'entry', folderName: 'in' }).begins).toEqual([]);
  });

  it('are one where a package is made of all that is ready', () => {
    expect(plan(['a.mov+', 'card/1.mov', 'x.part-'], { per: 'batch' })).toEqual({
      ...nothing,
      begins: [['in', 'a.mov+', 'card/1.mov']],
      rest: ['x.part'],
    });
  });
});

describe('packages that are open', () => {
  it('take what comes into their entry, and nothing else', () => {
    expect(plan(['card/1.mov✓', 'card/2.mov…', 'b.mov'], { open: [open('t', 'card')] })).toEqual({
      ...nothing,
      joins: [['t', 'card/2.mov+']],
      rest: ['card/1.mov', 'b.mov'],
    });
    expect(plan(['card/1.mov✓', 'b.mov'], { per: 'batch', open: [open('t', '')] })).toMatchObject({ joins: [['t', 'b.mov']] });
  });

  it('are closed once all is sent and nothing waits, with the empty folders of their entry', () => {
    const emptyFolders = ['card/empty', 'cardboard', 'other'];
    expect(plan(['card/1.mov✓'], { open: [open('t', 'card')] }).closes).toEqual([]);
    expect(plan(['card/1.mov✓'], { open: [open('t', 'card', true)], emptyFolders }).closes).toEqual([['t', 'card/empty']]);
    expect(plan(['card/1.mov✓'], { per: 'batch', open: [open('t', '', true)], emptyFolders: ['card/empty', 'other'] }).closes).toEqual([
      ['t', 'card/empty'],
    ]);
    expect(plan([], { open: [open('t', 'card', true)] }).closes).toEqual([['t']]);
  });

  it('stay open while something in their entry waits, comes, or cannot be read', () => {
    const sent = [open('t', 'card', true)];
    expect(plan(['card/1.mov✓', 'card/2.mov.part-'], { open: sent }).closes).toEqual([]);
    expect(plan(['card/1.mov✓', 'card/2.mov…'], { open: sent })).toMatchObject({ joins: [['t', 'card/2.mov+']], closes: [] });
    expect(plan(['card/1.mov✓'], { open: sent, troubles: ['card/sub'] }).closes).toEqual([]);
    expect(plan(['card/1.mov✓'], { open: sent, troubles: ['other'] }).closes).toEqual([['t']]);
  });

  it('of another folder, or second for their entry, get nothing and are closed', () => {
    const all = [open('t', 'card'), open('second', 'card', true), open('elsewhere', null, true)];
    expect(plan(['card/2.mov…'], { open: all })).toEqual({
      ...nothing,
      joins: [['t', 'card/2.mov+']],
      closes: [['second'], ['elsewhere']],
      rest: [],
    });
  });
});

describe('a file has grown', () => {
  const file = (size: number, inode = '1:7') => ({ ...candidate('a.mov').file, size, inode });
  const seen = (...files: readonly ReturnType<typeof file>[]) => {
    const stability = createStability();
    for (const [at, one] of files.entries()) stability.observe([one], at);
    return stability.hasGrown(files.at(-1)!);
  };

  it('once it was seen larger than before, as the same file, and stays so', () => {
    expect(seen(file(1))).toBe(false);
    expect(seen(file(1), file(1))).toBe(false);
    expect(seen(file(1), file(2))).toBe(true);
    expect(seen(file(1), file(2), file(2))).toBe(true);
    expect(seen(file(2), file(1))).toBe(false);
    expect(seen(file(1), file(2, '1:8'))).toBe(false);
  });
});
