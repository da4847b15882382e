import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandFailed, measureCommand } from '#bench/measure/command.ts';
import { cpuSecondsOf, peakBytesOf, resetPeak } from '#bench/measure/processes.ts';
import { findPrograms } from '#bench/peers/programs.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const linux = process.platform === 'linux';
const mebi = 2 ** 20;

/** A process that does as it is told by lines: `burn` CPU in a child, `hold` and `drop` memory. */
const obedient = `
  const { spawnSync } = require('node:child_process');
  let held;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    if (line === 'burn') spawnSync(process.execPath, ['-e', 'const t = process.cpuUsage(); while (process.cpuUsage(t).user < 100000);']);
    if (line === 'hold') held = Buffer.alloc(${64 * mebi}, 1);
    if (line === 'drop') { held = null; gc(); }
    console.log('done');
  });`;

describe.runIf(linux)('what the kernel counts of a process', () => {
  let child: ReturnType<typeof start>;
  const start = () => spawn(process.execPath, ['--expose-gc', '-e', obedient], { stdio: ['pipe', 'pipe', 'inherit'] });
  const tell = async (line: string) => {
    const done = once(child.stdout, 'data');
    child.stdin.write(`${line}\n`);
    await done;
  };
  beforeEach(() => {
    child = start();
  });
  afterEach(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  });

  it('has the time of children that have ended', async () => {
    await tell('nothing');
    const before = cpuSecondsOf(child.pid!);
    await tell('burn');
    expect(cpuSecondsOf(child.pid!) - before).toBeGreaterThanOrEqual(0.1);
  });

  it('counts children that still run', async () => {
    await tell('nothing');
    // Our own count holds the child's.
    expect(cpuSecondsOf(process.pid)).toBeGreaterThanOrEqual(cpuSecondsOf(child.pid!));
  });

  it('has a peak that outlasts the memory, until it is forgotten', async () => {
    await tell('nothing');
    const resting = peakBytesOf(child.pid!);
    await tell('hold');
    await tell('drop');
    expect(peakBytesOf(child.pid!) - resting).toBeGreaterThan(60 * mebi);
    // Freed memory goes back to the system when the allocator likes.
    await eventually('the peak is forgotten', async () => {
      resetPeak(child.pid!);
      return peakBytesOf(child.pid!) - resting < 32 * mebi;
    });
  });

  it('says so when the process is gone', async () => {
    const { pid } = child;
    child.stdin.end();
    await once(child, 'exit');
    expect(() => cpuSecondsOf(pid!)).toThrow(/has ended/);
  });
});

const { time } = findPrograms();

describe.runIf(linux && time !== null)('a measured command', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  const stopping = new AbortController();
  const ports = (signal = stopping.signal) => ({ time: time!, folder: folder.path, signal });
  const node = (code: string) => ({ program: process.execPath, args: ['-e', code], env: {} });
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  it('costs the time and memory that it used', async () => {
    const cost = await measureCommand(
      node(`const b = Buffer.alloc(${128 * mebi}, 1); const t = process.cpuUsage(); while (process.cpuUsage(t).user < 200000);`),
      ports(),
    );
    expect(cost.cpuSeconds).toBeGreaterThanOrEqual(0.2);
    expect(cost.seconds).toBeGreaterThanOrEqual(0.2);
    expect(cost.peakBytes).toBeGreaterThan(128 * mebi);
  });

  it('hands on what a failing command said', async () => {
    await expect(measureCommand(node('console.error("no such bucket"); process.exit(3)'), ports())).rejects.toThrow(CommandFailed);
    await expect(measureCommand(node('console.error("no such bucket"); process.exit(3)'), ports())).rejects.toThrow(/3: no such bucket/);
  });

  it('ends with all it started when it is stopped', async () => {
    const stop = new AbortController();
    const mark = `${folder.path}/mark`;
    // The child of the child: a signal to the command alone would leave it running.
    const inner = `require("fs").writeFileSync("${mark}", String(process.pid)); setInterval(() => {}, 1000)`;
    const outer = `require("child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(inner)}])`;
    const running = measureCommand(node(outer), ports(stop.signal));
    const outcome = running.catch((error: unknown) => error);
    await eventually('the inner one runs', async () => existsSync(mark));
    stop.abort(new Error('Stopped.'));
    expect(await outcome).toEqual(new Error('Stopped.'));
    const { readFileSync } = await import('node:fs');
    const pid = Number(readFileSync(mark, 'utf8'));
    await eventually(
      'the inner one is gone',
      async () => !existsSync(`/proc/${pid}`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')),
    );
  });
});
