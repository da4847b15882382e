import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openForWriting } from '#engine/folders/open-for-writing.ts';
import { diskFolder } from '../../../support/system/temp-folder.ts';

/** A folder like /proc with one process and the files that it has open, with their flags. */
async function procWith(pid: string, open: Record<string, { path: string; flags: string }>): Promise<string> {
  const { path: proc, remove } = await diskFolder();
  onTestFinished(remove);
  for (const part of ['fd', 'fdinfo']) mkdirSync(join(proc, pid, part), { recursive: true });
  for (const [descriptor, { path, flags }] of Object.entries(open)) {
    symlinkSync(path, join(proc, pid, 'fd', descriptor));
    writeFileSync(join(proc, pid, 'fdinfo', descriptor), `pos:\t0\nflags:\t${flags}\nmnt_id:\t29\n`);
  }
  return proc;
}

const wanted = new Set(['/in/a.mov', '/in/b.mov', '/in/c.mov']);

describe('files that are open for writing', () => {
  it('are found by the flags of their descriptors', async () => {
    const proc = await procWith('12', {
      3: { path: '/in/a.mov', flags: '0100000' },
      4: { path: '/in/b.mov', flags: '0100001' },
      5: { path: '/in/c.mov', flags: '02100002' },
      6: { path: '/in/d.mov', flags: '0100001' },
    });
    expect(await openForWriting(wanted, { proc, platform: 'linux' })).toEqual(new Set(['/in/b.mov', '/in/c.mov']));
  });

  it('are not those that the agent itself has open', async () => {
    const proc = await procWith('12', { 4: { path: '/in/b.mov', flags: '0100001' } });
    expect(await openForWriting(wanted, { proc, ownPid: 12, platform: 'linux' })).toEqual(new Set());
  });

  it('are unknown on other systems, and where nothing can be read', async () => {
    expect(await openForWriting(wanted, { platform: 'win32' })).toEqual(new Set());
    expect(await openForWriting(wanted, { proc: '/nowhere', platform: 'linux' })).toEqual(new Set());
  });

  it.runIf(process.platform === 'linux')('are found in a real process, until it closes them', async () => {
    const temp = await diskFolder();
    onTestFinished(temp.remove);
    const folder = realpathSync(temp.path);
    const [writing, reading] = [join(folder, 'writing.mov'), join(folder, 'reading.mov')];
    writeFileSync(reading, 'x');
    const shell = spawn('sh', ['-c', 'exec 3>"$1" 4<"$2"; echo open; read _; exec 3>&-; echo closed; read _', 'sh', writing, reading]);
    onTestFinished(() => void shell.kill());
    await once(shell.stdout, 'data');
    const paths = new Set([writing, reading]);
    expect(await openForWriting(paths)).toEqual(new Set([writing]));
    shell.stdin.write('\n');
    await once(shell.stdout, 'data');
    expect(await openForWriting(paths)).toEqual(new Set());
  });
});
