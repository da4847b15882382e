import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openUploadBench, type UploadBench } from '#test/support/engine/upload-bench.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** Passes over a real folder with a real state file, while others write there and the process crashes at any step. */

type After = 'keep' | 'move' | 'delete';

/** What a person knows of a folder: what they wrote last under each name, and what was taken from there since. */
function personAt(bench: UploadBench, after: After) {
  const files = new Map<string, string>();
  const taken: string[] = [];
  let versions = 0;
  const at = (path: string): string => join(bench.hot, path);
  /** No two versions have a time in common, as on disks with fine clocks. */
  const stamp = (path: string): void => utimesSync(at(path), 1_700_000_000 + ++versions / 8, 1_700_000_000 + versions / 8);

  /** The automation has taken what is not there any more: that has arrived, and lies where it was moved to. */
  const look = (): void => {
    const arrived = new Set([...bench.packages.values()].flatMap((contents) => [...contents.values()]));
    for (const [path, content] of files) {
      if (existsSync(at(path))) continue;
      files.delete(path);
      expect(after).not.toBe('keep');
      expect(arrived).toContain(content);
      taken.push(content);
    }
  };
  const change = (path: string, next: (before: string) => string): void => {
    look();
    const content = `${next(files.get(path) ?? '')}${versions};`;
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
    stamp(path);
    files.set(path, content);
  };
  return {
    files,
    taken,
    look,
    create: (path: string) => change(path, () => 'new '),
    /** In place of another file, as many programs save. */
    replace(path: string) {
      change('saving.tmp~', () => 'other ');
      this.rename('saving.tmp~', path);
    },
    append(path: string) {
      look();
      if (!files.has(path)) return;
      const more = `more ${versions};`;
      appendFileSync(at(path), more);
      stamp(path);
      files.set(path, files.get(path)! + more);
    },
    truncate: (path: string) => files.has(path) && change(path, (before) => before.slice(0, 2)),
    rename(from: string, to: string) {
      look();
      const content = files.get(from);
      if (content === undefined || from === to) return;
      mkdirSync(dirname(at(to)), { recursive: true });
      renameSync(at(from), at(to));
      files.delete(from);
      files.set(to, content);
    },
    remove(path: string) {
      look();
      if (!files.delete(path)) return;
      rmSync(at(path));
    },
  };
}

const contentsBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));

const path = fc.constantFrom('a', 'b', 'card/1', 'card/2', 'card/in/3');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('create', 'append', 'truncate', 'replace', 'remove'), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rename'), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(400, 1_100) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('pass', 'pass', 'transfer', 'restart', 'cancel', 'forget') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash'), step: fc.integer({ min: 1, max: 25 }) }) },
);
type Step = { do: string; path?: string; to?: string; ms?: number; step?: number };

async function check(after: After, steps: readonly Step[]): Promise<void> {
  const folder = await diskFolder();
  const bench = openUploadBench(folder.path, { after });
  try {
    const person = personAt(bench, after);
    for (const one of steps) {
      if (one.do === 'rename') person.rename(one.path!, one.to!);
      else if (one.path !== undefined) person[one.do as 'create'](one.path);
      else if (one.do === 'wait') bench.wait(one.ms!);
      else if (one.do === 'crash') bench.crashAt(one.step!);
      else if (one.do === 'restart') bench.restart();
      else if (one.do === 'forget') await bench.forgetFailed();
      else await bench[one.do as 'pass' | 'transfer' | 'cancel']();
      person.look();
    }
    bench.crashAt(Number.POSITIVE_INFINITY);
    for (let round = 0; round < 4; round++) {
      await bench.pass();
      bench.wait(1_100);
      await bench.pass();
      await bench.transfer();
      await bench.pass();
      await bench.forgetFailed();
    }
    person.look();

    const arrived = [...bench.packages.values()].flatMap((contents) => [...contents.values()]);
    expect(new Set(arrived).size).toBe(arrived.length);
    if (after === 'keep') for (const content of person.files.values()) expect(arrived).toContain(content);
    else expect([...person.files.keys()]).toEqual([]);
    if (after !== 'keep') expect(contentsBelow(bench.hot)).toEqual([]);
    const moved = contentsBelow(bench.done);
    expect(new Set(moved).size).toBe(moved.length);
    if (after === 'move') for (const content of person.taken) expect(moved).toContain(content);
    expect(bench.store.automations.ledger.counts('automation')).toMatchObject({ sending: 0, failed: 0 });
  } finally {
    await bench.close();
    await folder.remove();
  }
}

const numRuns = runs(5, 1_000);

it.each(['keep', 'move', 'delete'] as const)(
  'sends each version that stays once and takes nothing else away, whatever comes in whatever order (%s)',
  async (after) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => check(after, steps as Step[])),
      { numRuns },
    );
  },
  numRuns * 20_000,
);

it('sends only while its time window is open, and says when that is', async () => {
  const folder = await diskFolder();
  const closed = { enabled: false, start: '00:00', end: '00:00' };
  const off = { mon: closed, tue: closed, wed: closed, thu: closed, fri: closed, sat: closed, sun: closed };
  // A Sunday, at noon of this machine.
  const noon = new Date(2026, 10, 22, 12).getTime();
  const bench = openUploadBench(folder.path, { schedule: { ...off, sun: { enabled: true, start: '22:00', end: '06:00' } } }, noon);
  try {
    writeFileSync(join(bench.hot, 'a.mov'), 'one');
    await bench.pass();
    bench.wait(1_100);
    const opens = new Date(2026, 10, 22, 22).toISOString();
    expect(await bench.pass()).toMatchObject({ waiting: 1, waitingFor: `Its time window opens at ${opens}.` });
    expect(bench.packages.size).toBe(0);
    bench.wait(10 * 3_600_000);
    expect(await bench.pass()).toMatchObject({ waiting: 0, waitingFor: '' });
    await bench.transfer();
    expect([...bench.packages.values()].map((contents) => [...contents.values()])).toEqual([['one']]);
    bench.wait(9 * 3_600_000);
    writeFileSync(join(bench.hot, 'b.mov'), 'two');
    await bench.pass();
    bench.wait(1_100);
    expect((await bench.pass())?.waiting).toBe(1);
  } finally {
    await bench.close();
    await folder.remove();
  }
});

it('sends what comes after it was made, though its first look is late, and leaves what lay there', async () => {
  const folder = await diskFolder();
  mkdirSync(join(folder.path, 'hot'));
  writeFileSync(join(folder.path, 'hot/old.mov'), 'old');
  // Disks stamp by a clock that ticks.
  const later = async (than: number): Promise<number> => {
    await expect.poll(() => Date.now() > than + 50, { interval: 10 }).toBe(true);
    return Date.now();
  };
  const made = await later(Date.now());
  const bench = openUploadBench(folder.path, { existing: false }, made);
  try {
    await later(made);
    writeFileSync(join(bench.hot, 'new.mov'), 'new');
    bench.restart();
    await bench.pass();
    bench.wait(1_100);
    await bench.pass();
    await bench.transfer();
    expect([...bench.packages.values()].map((contents) => [...contents.values()])).toEqual([['new']]);
    expect(bench.store.automations.ledger.byKey('automation', 'old.mov')).toMatchObject({ state: 'existing' });
  } finally {
    await bench.close();
    await folder.remove();
  }
});
