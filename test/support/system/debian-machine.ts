import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './processes.ts';
import { diskFolder } from './temp-folder.ts';

const run = promisify(execFile);

/** A second Debian on this machine: its programs, under a systemd of its own, with a network of its own that leads nowhere. */
export interface DebianMachine {
  /** As root, by bash, which ends at the first failure. Rejects with what was said. */
  sh(script: string): Promise<string>;
  close(): Promise<void>;
}

const init = '/lib/systemd/systemd';

/** Where systemd keeps its processes apart; undefined where this kernel has no such place for it. */
function cgroups(): string | undefined {
  const { stdout } = spawnSync('findmnt', ['--noheadings', '--first-only', '--output', 'TARGET', '--types', 'cgroup2'], {
    encoding: 'utf8',
  });
  return stdout?.trim() || undefined;
}

/** Changes stay in a layer above the files that all share. */
const mountRoot = 'mount -t overlay overlay -o lowerdir=/,upperdir="$1/upper",workdir="$1/work" "$1/root"';

/** As root of a machine that lets it make namespaces, and lay a file system over its own. */
export function canBootDebian(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync(init) || cgroups() === undefined) return false;
  const probe = `set -e; mkdir -p "$1"; mount -t tmpfs tmpfs "$1"; mkdir "$1"/upper "$1"/work "$1"/root; ${mountRoot}`;
  return spawnSync('unshare', ['--mount', 'bash', '-c', probe, '-', '/run/longshore-test-overlay']).status === 0;
}

/** What belongs to hardware, to a network or to other times. */
const masked = [
  ...['systemd-udevd.service', 'systemd-udev-trigger.service', 'systemd-modules-load.service', 'systemd-sysctl.service'],
  ...['systemd-remount-fs.service', 'systemd-random-seed.service', 'systemd-binfmt.service', 'systemd-logind.service'],
  ...['systemd-networkd.service', 'systemd-resolved.service', 'systemd-timesyncd.service', 'getty.target'],
  ...['dev-hugepages.mount', 'dev-mqueue.mount', 'sys-kernel-debug.mount', 'sys-kernel-tracing.mount', 'sys-fs-fuse-connections.mount'],
  ...['systemd-tmpfiles-clean.timer', 'apt-daily.timer', 'apt-daily-upgrade.timer'],
];

/** `$1`: a folder of its own. What this machine has enabled does not start there. */
const boot = `
set -e
root=$1/root
mount --make-rprivate /
${mountRoot}
mount -t proc proc $root/proc
mount -t sysfs sysfs $root/sys
mount -t cgroup2 cgroup2 $root/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs $root/dev
while read -r name major minor; do mknod -m 666 $root/dev/$name c $major $minor; done <<END
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
END
mkdir $root/dev/pts $root/dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts $root/dev/pts
ln -s pts/ptmx $root/dev/ptmx
ln -s /proc/self/fd $root/dev/fd
for number in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/\${number%:*} $root/dev/\${number#*:}; done
mount -t tmpfs -o mode=1777 tmpfs $root/dev/shm
mount -t tmpfs -o mode=755 tmpfs $root/run
mount -t tmpfs -o mode=1777 tmpfs $root/tmp
rm -rf $root/etc/systemd/system/*.wants
for unit in ${masked.join(' ')}; do ln -sfn /dev/null $root/etc/systemd/system/$unit; done
tr -d - < /proc/sys/kernel/random/uuid > $root/etc/machine-id
ip link set lo up
mkdir $root/run/before
cd $root
pivot_root . run/before
exec chroot . /bin/sh -c 'umount -l /run/before; exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
  ${init} --unit=multi-user.target --log-target=null --show-status=false'
`;

export async function bootDebian(): Promise<DebianMachine> {
  const folder = await diskFolder();
  for (const name of ['upper', 'work', 'root']) await mkdir(join(folder.path, name), { mode: 0o755 });
  const group = join(cgroups()!, `longshore-test-${process.pid}`);
  await mkdir(group);
  const namespaces = '--mount --pid --fork --net --cgroup --ipc --uts --kill-child';
  const child = spawn(
    'bash',
    ['-c', `echo $$ > "$2/cgroup.procs"; exec unshare ${namespaces} bash -c "$3" - "$1"`, '-', folder.path, group, boot],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const exit = once(child, 'exit');
  const close = async (): Promise<void> => {
    // With the first of its processes all of them end, and its mounts.
    child.kill('SIGKILL');
    await exit;
    await eventually('all processes of the machine have ended', () =>
      rmdir(group).then(
        () => true,
        () => false,
      ),
    );
    await folder.remove();
  };
  const inside = async (script: string): Promise<string> => {
    const pid = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim();
    const env = [
      'env',
      '-i',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'HOME=/root',
      'LC_ALL=C.UTF-8',
      'EDITOR=true',
    ];
    const args = ['-t', pid, '-m', '-p', '-n', '-C', '-i', '-u', `-r/proc/${pid}/root`, '-w', ...env, 'bash', '-ec', script];
    const { stdout, stderr } = await run('nsenter', args, { maxBuffer: 2 ** 26 });
    return stdout + stderr;
  };
  try {
    const isUp = () =>
      inside('systemctl is-active multi-user.target').then(
        () => true,
        () => false,
      );
    await eventually('the machine has started', async () => {
      if (child.exitCode !== null) throw new Error(`The machine did not start: ${said}`);
      return await isUp();
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    sh: (script) =>
      inside(script).catch((error: { readonly stdout?: string; readonly stderr?: string }) => {
        throw new Error(`${script}\n${error.stdout ?? ''}${error.stderr ?? ''}`, { cause: error });
      }),
    close,
  };
}
