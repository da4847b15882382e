import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

/** The package's scripts beside a systemd that notes what it is asked. The package itself is installed by the soak. */

const project = join(import.meta.dirname, '../../..');

describe.skipIf(process.platform === 'win32')('an update of the Debian package', () => {
  let folder: TempFolder;
  const at = (...names: string[]) => join(folder.path, ...names);
  beforeEach(async () => {
    folder = await tempFolder();
    await mkdir(at('bin'));
    const program = (name: string, text: string) => writeFile(at('bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    await program(
      'systemctl',
      `case "$*" in
*list-units*) printf 'longshore-node@%s.service loaded active running Longshore node\\n' api1 storage ;;
*is-active*longshore-agent*) exit 3 ;;
esac`,
    );
    await program('deb-systemd-invoke', `echo "$@" >> ${at('asked')}`);
    await program('deb-systemd-helper', 'exit 0');
  });
  afterEach(() => folder.remove());

  async function run(script: 'prerm' | 'postinst', ...args: string[]): Promise<string[]> {
    await writeFile(at('asked'), '');
    const text = await readFile(join(project, 'resources/debian', script), 'utf8');
    await writeFile(at(script), text.replaceAll('/run/systemd/system', folder.path).replaceAll('/run/longshore-update', at('update')));
    const { status, stderr } = spawnSync('sh', [at(script), ...args], {
      env: { ...process.env, PATH: `${at('bin')}:${process.env['PATH']}` },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    return (await readFile(at('asked'), 'utf8')).split('\n').filter(Boolean);
  }

  const running = ['longshore-node@api1.service', 'longshore-node@storage.service', 'longshore-service.service'];

  it('stops what runs, nodes too, and starts it again, once', async () => {
    expect((await run('prerm', 'upgrade', '0.2.0')).toSorted()).toEqual(running.map((unit) => `stop ${unit}`));
    expect((await run('postinst', 'abort-upgrade')).toSorted()).toEqual(running.map((unit) => `start ${unit}`));
    expect(await run('postinst', 'abort-upgrade')).toEqual([]);
  });

  it('and its removal stops all, and starts nothing later', async () => {
    expect((await run('prerm', 'remove')).toSorted()).toEqual(running.map((unit) => `stop ${unit}`));
    expect(await readdir(folder.path)).not.toContain('update');
    expect(await run('postinst', 'abort-remove')).toEqual([]);
  });
});
