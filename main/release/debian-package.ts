import { createHash } from 'node:crypto';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { run } from './run.ts';
import type { Target } from './targets.ts';

interface PackageOptions {
  readonly project: string;
  /** As `layOut` made it; it is used up. */
  readonly tree: string;
  readonly file: string;
  readonly version: string;
  readonly target: Target;
  /** The time of every file, since 1970. */
  readonly seconds: number;
  /** Compress little. */
  readonly quick: boolean;
}

/**
 * Makes a Debian package of an archive's tree: below /usr/lib/longshore, with units, settings and users.
 *
 * @throws Error where there is no dpkg-deb
 */
export async function makeDebianPackage(options: PackageOptions): Promise<void> {
  const root = `${options.tree}.deb`;
  await placeFiles(root, options);
  await writeControl(root, options);
  await run('dpkg-deb', ['--root-owner-group', ...(options.quick ? ['-Zgzip', '-z1'] : ['-Zxz']), '--build', root, options.file], {
    env: { SOURCE_DATE_EPOCH: String(options.seconds) },
  }).catch((error: Error) => {
    throw /^There is no/.test(error.message)
      ? new Error('A Debian package is made by dpkg-deb, which is not here. Run this on Debian or Ubuntu, or give --no-deb.', {
          cause: error,
        })
      : error;
  });
  await rm(root, { recursive: true });
}

async function placeFiles(root: string, { project, tree, version, seconds }: PackageOptions): Promise<void> {
  const at = (path: string): string => join(root, path);
  const debian = join(project, 'resources/debian');
  const put = async (path: string, content: string | Buffer, mode = 0o644): Promise<void> => {
    makeDirs(dirname(at(path)));
    await writeFile(at(path), content);
    await chmod(at(path), mode);
  };
  makeDirs(at('usr/lib'));
  await rename(tree, at('usr/lib/longshore'));
  makeDirs(at('usr/bin'));
  await symlink('../lib/longshore/bin/longshore', at('usr/bin/longshore'));

  const docs = 'usr/share/doc/longshore';
  makeDirs(at(docs));
  await rename(at('usr/lib/longshore/resources'), at(`${docs}/examples`));
  await packedText(at('usr/lib/longshore/CHANGELOG.md'), at(`${docs}/CHANGELOG.md.gz`));
  for (const name of ['copyright', 'README.Debian']) await copyFile(join(debian, name), at(`${docs}/${name}`));
  await put(`${docs}/changelog.gz`, gzipSync(changelog(version, seconds), { level: 9 }));

  for (const unit of ['longshore-service.service', 'longshore-agent.service']) {
    const text = await readFile(join(project, 'resources/systemd', unit), 'utf8');
    await put(`usr/lib/systemd/system/${unit}`, text.replaceAll('/usr/local/bin/longshore', '/usr/bin/longshore'));
  }
  for (const name of ['service.env', 'agent.yaml'])
    await put(`etc/longshore/${name}`, await readFile(join(project, 'resources', name)), 0o640);
  await put('usr/share/lintian/overrides/longshore', await readFile(join(debian, 'lintian-overrides')));

  // Of this machine's own Node: they are text, the same for every target.
  const say = (...args: string[]): Promise<string> => run(process.execPath, [join(project, 'main/cli/longshore.js'), ...args]);
  await put('usr/share/bash-completion/completions/longshore', await say('completion', 'bash'));
  await put('usr/share/zsh/vendor-completions/_longshore', await say('completion', 'zsh'));
  await put('usr/share/fish/vendor_completions.d/longshore.fish', await say('completion', 'fish'));
  const { manualPage } = await import('./manual-page.ts');
  await put('usr/share/man/man1/longshore.1.gz', gzipSync(manualPage(version, await say('--help'), seconds), { level: 9 }));
}

async function packedText(from: string, to: string): Promise<void> {
  await writeFile(to, gzipSync(await readFile(from), { level: 9 }));
  await rm(from);
}

/** What changed is in CHANGELOG.md, beside it. */
function changelog(version: string, seconds: number): string {
  const date = new Date(seconds * 1_000).toUTCString().replace('GMT', '+0000');
  return `longshore (${version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- ${maintainer}  ${date}\n`;
}

const maintainer = 'Longshore contributors <maintainers@longshore.invalid>';

async function writeControl(root: string, { project, version, target }: PackageOptions): Promise<void> {
  const files = await filesBelow(root);
  let bytes = 0;
  const sums: string[] = [];
  for (const path of files) {
    const { size } = await stat(join(root, path));
    // As dpkg-gencontrol counts: each file takes whole KiB.
    bytes += Math.ceil(size / 1_024) * 1_024;
    if (!path.startsWith('etc/')) {
      sums.push(
        `${createHash('md5')
          .update(await readFile(join(root, path)))
          .digest('hex')}  ${path}\n`,
      );
    }
  }
  const control = join(root, 'DEBIAN');
  await mkdir(control);
  const debian = join(project, 'resources/debian');
  const text = await readFile(join(debian, 'control'), 'utf8');
  const filled = text
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', target.debianArch)
    .replace('@SIZE@', String(bytes / 1_024));
  await writeFile(join(control, 'control'), filled);
  await writeFile(join(control, 'md5sums'), sums.join(''));
  await cp(join(debian, 'conffiles'), join(control, 'conffiles'));
  for (const name of ['postinst', 'prerm', 'postrm']) {
    await copyFile(join(debian, name), join(control, name));
    await chmod(join(control, name), 0o755);
  }
  await chmod(control, 0o755);
  for (const name of ['control', 'md5sums', 'conffiles']) await chmod(join(control, name), 0o644);
}

/** In order, without symbolic links. */
async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();
}
