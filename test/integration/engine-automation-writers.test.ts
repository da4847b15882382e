import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { automationWhen } from '#test/support/engine/automation-when.ts';
import { startTestEngine } from '#test/support/engine/start-engine.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { inAll } from '#test/support/level.ts';
import { packagesNamed } from '#test/support/service/sent-packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, sha256, writeTree } from '#test/support/system/file-tree.ts';
import { mountDisk } from '#test/support/system/other-disk.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** Watched folders that other programs write into, each in its own way: what they meant to write arrives, once. */

let service: TestService;
let own: Awaited<ReturnType<typeof diskFolder>>;
let engine: Engine;

beforeAll(async () => {
  service = await startTestService();
  own = await diskFolder();
  engine = await start(join(own.path, 'agent'));
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await own?.remove();
});

const start = (dataDir: string): Promise<Engine> => startTestEngine({ dataDir, serviceUrl: service.url, apiKey: service.apiKey });

interface Watched {
  readonly id: string;
  readonly hot: string;
  /** Outside of it, on the same disk. */
  readonly staging: string;
  states(): Record<string, string>;
  /** Of what the service holds: places in the packages and digests, in the order of places. */
  arrived(): Promise<string[]>;
}

async function watched(name: string, fields: object = {}, at = engine): Promise<Watched> {
  const [hot, staging] = [join(own.path, name, 'hot'), join(own.path, name, 'staging')];
  for (const folder of [hot, staging]) mkdirSync(folder, { recursive: true });
  const { id } = await at.automations.create('team_upload', {
    name,
    active: true,
    folder: hot,
    team_id: service.teamId,
    recipients: [],
    settle_seconds: 1,
    existing: true,
    package_name: `${name}: {counter}`,
    ...fields,
  });
  return {
    id,
    hot,
    staging,
    states: () => Object.fromEntries(at.automations.ledger(id, { limit: 100 }).records.map(({ path, state }) => [path, state])),
    async arrived() {
      const { states, files } = await packagesNamed(service, `${name}: `);
      expect(states).toEqual(['finalized']);
      return files.map((file) => `${file.path} ${file.sha256}`).toSorted();
    },
  };
}

const run = (command: string, ...args: string[]): void => void execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
const shell = (script: string, cwd: string): void =>
  void execFileSync('sh', ['-ec', script], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
const placesOf = (tree: Readonly<Record<string, Buffer | string>>): string[] =>
  Object.entries(tree)
    .map(([path, bytes]) => `${path} ${sha256(Buffer.from(bytes))}`)
    .toSorted();
const sentAll = (one: Watched, paths: readonly string[]) =>
  expect.poll(one.states, { timeout: 120_000 }).toEqual(Object.fromEntries(paths.map((path) => [path, 'sent'])));

it.skipIf(process.platform !== 'linux')('waits while a program has a file open, however long it writes nothing', async () => {
  const one = await watched('Held');
  const writer = spawn('sh', ['-ec', 'exec 3> held.mov; printf half >&3; read line; printf " and half" >&3'], {
    cwd: one.hot,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  await automationWhen(engine, one.id, ({ waiting_for }) => waiting_for === 'held.mov: Another program has it open for writing.');
  writer.stdin!.end('go on\n');
  await once(writer, 'exit');
  await sentAll(one, ['held.mov']);
  expect(await one.arrived()).toEqual(placesOf({ 'held.mov': 'half and half' }));
});

it('sends a slow copy as it is in the end', async () => {
  const one = await watched('Slow');
  const bytes = seededBytes(300_000, 1);
  writeFileSync(join(one.staging, 'slow.mov'), bytes);
  // Each piece by a program of its own, so that nobody has it open in between; less than what counts as still.
  shell(
    'for at in 0 1 2 3 4; do dd if=../staging/slow.mov of=slow.mov bs=60000 skip=$at seek=$at count=1 conv=notrunc 2> /dev/null; sleep 0.3; done',
    one.hot,
  );
  // On a machine that stands still for a second a part may go before; the whole comes all the same, and once.
  const [whole] = placesOf({ 'slow.mov': bytes });
  const wholeOnes = async () =>
    (await packagesNamed(service, 'Slow: ')).files.filter(({ path, sha256 }) => `${path} ${sha256}` === whole).length;
  await expect.poll(wholeOnes, { timeout: 120_000 }).toBe(1);
  await sentAll(one, ['slow.mov']);
  expect(await wholeOnes()).toBe(1);
});

it('sends what is renamed into place, and not what it was named before', async () => {
  const one = await watched('Renamed', { package_per: 'batch' });
  writeTree(one.staging, { 'b/c.mov': 'from outside' });
  shell(
    'printf whole > a.mov.part; mv a.mov.part a.mov; mv ../staging/b b; mkdir -p d; printf e > d/.e.tmp~; mv d/.e.tmp~ d/e.mov',
    one.hot,
  );
  await sentAll(one, ['a.mov', 'b/c.mov', 'd/e.mov']);
  expect(await one.arrived()).toEqual(placesOf({ 'a.mov': 'whole', 'b/c.mov': 'from outside', 'd/e.mov': 'e' }));
});

it('sends a file again that is appended to, cut off or written anew', async () => {
  const one = await watched('Changed');
  const versions = ['one', 'one and two', 'one', 'another'];
  const changes = ['printf one > a.log', 'printf " and two" >> a.log', 'truncate -s 3 a.log', 'printf another > b; mv b a.log'];
  for (const [index, change] of changes.entries()) {
    shell(change, one.hot);
    await expect.poll(async () => (await packagesNamed(service, 'Changed: ')).names.length, { timeout: 120_000 }).toBe(index + 1);
    await sentAll(one, ['a.log']);
  }
  expect(await one.arrived()).toEqual(versions.map((text) => placesOf({ 'a.log': text })[0]).toSorted());
});

it.skipIf(!hasPrograms('rsync'))(
  'sends what rsync brings, and again only what it changes',
  inAll('what is renamed into place, and what is appended to'),
  async () => {
    const one = await watched('Rsync', { package_per: 'batch' });
    const tree = { 'card/1.mov': seededBytes(200_000, 3), 'card/2.mov': 'two', 'notes.txt': 'notes' };
    writeTree(one.staging, tree);
    run('rsync', '-a', '--bwlimit=400', `${one.staging}/`, one.hot);
    await sentAll(one, Object.keys(tree));
    writeTree(one.staging, { 'card/2.mov': 'two, changed' });
    run('rsync', '-a', `${one.staging}/`, one.hot);
    await expect
      .poll(one.arrived, { timeout: 120_000 })
      .toEqual([...placesOf(tree), ...placesOf({ 'card/2.mov': 'two, changed' })].toSorted());
    await sentAll(one, Object.keys(tree));
  },
);

const manyFiles = soaking ? 20_000 : 600;

it(`counts each of ${manyFiles} files of cp -a once`, inAll('a slow copy, and what is renamed into place'), async () => {
  const one = await watched('Many', { package_per: 'batch' });
  for (let number = 0; number < manyFiles; number++) {
    const folder = join(one.staging, 'card', String(number % 20));
    if (number < 20) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${number}.dpx`), `frame ${number}`);
  }
  run('cp', '-a', join(one.staging, 'card'), one.hot);
  await automationWhen(engine, one.id, ({ counts }) => counts.sent === manyFiles && counts.waiting === 0);
  const { names, files } = await packagesNamed(service, 'Many: ');
  const source = Object.entries(readTree(one.staging)).map(([path, digest]) => `${path} ${digest}`);
  expect(files.map((file) => `${file.path} ${file.sha256}`).toSorted()).toEqual(source.toSorted());
  expect(names.length).toBeGreaterThan(0);
  expect(engine.automations.ledger(one.id, { limit: 1 }).total).toBe(manyFiles);
});

it.skipIf(!hasPrograms('unzip', 'bsdtar'))(
  'sends what unzip and bsdtar take out, whose times are old',
  inAll('a slow copy; times that are old by unit/engine/automations'),
  async () => {
    const one = await watched('Unpacked', { package_per: 'batch' });
    const tree = { 'card/1.mov': seededBytes(100_000, 4), 'card/a/2.mov': 'two' };
    writeTree(one.staging, tree);
    shell(
      'touch -d 2001-02-03T04:05:06Z card/1.mov card/a/2.mov; bsdtar -a -cf card.zip card; mv card tape; bsdtar -cf tape.tar tape',
      one.staging,
    );
    run('unzip', '-q', join(one.staging, 'card.zip'), '-d', one.hot);
    run('bsdtar', '-xf', join(one.staging, 'tape.tar'), '-C', one.hot);
    const all = { ...tree, 'tape/1.mov': tree['card/1.mov'], 'tape/a/2.mov': tree['card/a/2.mov'] };
    await sentAll(one, Object.keys(all));
    expect(await one.arrived()).toEqual(placesOf(all));
  },
);

it('moves to another disk, says when that is full, and goes on', async (context) => {
  const disk = mountDisk(own.path, '1m');
  if (!disk) return context.skip('Another disk is a tmpfs, and this process may not mount one.');
  try {
    const one = await watched('Across', { after: 'move', move_to: disk.path });
    const bytes = seededBytes(2_000_000, 5);
    writeTree(one.hot, { 'card/large.mov': bytes });
    const full = await automationWhen(engine, one.id, ({ state }) => state === 'error');
    expect(full.message).toBe(`card/large.mov cannot be moved to ${disk.path}: the disk is full.`);
    expect(Object.values(readTree(one.hot))).toEqual([sha256(bytes)]);
    // Nothing half is left beside it.
    expect(Object.values(readTree(join(disk.path, 'card')))).toEqual([]);
    disk.resize('8m');
    await engine.automations.run(one.id);
    await expect.poll(one.states, { timeout: 120_000 }).toEqual({ 'card/large.mov': 'moved' });
    expect(readTree(disk.path)).toEqual({ 'card/large.mov': sha256(bytes) });
    await expect.poll(() => readdirSync(one.hot)).toEqual([]);
    expect(await one.arrived()).toHaveLength(1);
  } finally {
    disk.remove();
  }
});

it('waits while its own state cannot be written, and sends each file once', async (context) => {
  const disk = mountDisk(own.path, '24m');
  if (!disk) return context.skip('A small disk is a tmpfs, and this process may not mount one.');
  const full = await start(join(disk.path, 'agent'));
  try {
    const one = await watched('Full', { package_per: 'batch' }, full);
    await expect.poll(() => full.automations.get(one.id).last_run_at, { timeout: 60_000 }).toBeDefined();
    const filler = join(disk.path, 'filler');
    const { bavail, bsize } = statfsSync(disk.path);
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
    // More than there is room for in what the state's file and log have already.
    const tree = Object.fromEntries(
      Array.from({ length: 900 }, (_, number) => [`card/${String(number).padStart(240, '0')}.dpx`, `frame ${number}`]),
    );
    writeTree(one.hot, tree);
    const stopped = await automationWhen(full, one.id, ({ state }) => state === 'error');
    expect(stopped.message).not.toBe('');
    rmSync(filler);
    await automationWhen(full, one.id, ({ counts }) => counts.sent === 900);
    expect(await one.arrived()).toEqual(placesOf(tree));
    expect(existsSync(filler)).toBe(false);
  } finally {
    await full.close();
    disk.remove();
  }
});
