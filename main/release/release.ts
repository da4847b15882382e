import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { packPackages } from '../start/pack-packages.ts';
import { buildInto } from '../start/pages.ts';
import { readVersion } from '../version.ts';
import { packArchive } from './archive.ts';
import { writeChecksums } from './checksums.ts';
import { makeDebianPackage } from './debian-package.ts';
import { run } from './run.ts';
import { type Target, targets } from './targets.ts';
import { layOut } from './tree.ts';

/** `npm run dist`: archives and Debian packages of service and agent, their lists of components, and their checksums. */

const project = fileURLToPath(new URL('../..', import.meta.url));

interface Flags {
  readonly arch: readonly Target[];
  readonly out: string;
  readonly deb: boolean;
  readonly quick: boolean;
}

const help = `
For each machine: longshore-VERSION-linux-ARCH.tar.gz, longshore_VERSION_ARCH.deb and
longshore-VERSION-linux-ARCH.components.json (CycloneDX), and SHA256SUMS over all of them. Packages come from
npm's cache or registry, held to package-lock.json. The same commit makes the same bytes, with the same npm,
gzip and xz; its time is the commit's, or that of SOURCE_DATE_EPOCH.`;

export async function release(args: readonly string[], say: (text: string) => void): Promise<void> {
  const program = new Command('npm run dist --')
    .description('Makes archives and Debian packages of service and agent for Linux, with the Node that they run on.')
    .addOption(
      new Option('--arch <list>', 'for which machines: x64, arm64, or both with a comma')
        .default(targets, 'x64,arm64')
        .argParser(parseTargets),
    )
    .addOption(new Option('--out <folder>', 'where to put them').default(join(project, 'dist-release'), 'dist-release'))
    .addOption(new Option('--no-deb', 'without Debian packages'))
    .addOption(new Option('--quick', 'compress little: to try them out').default(false))
    .addHelpText('after', help)
    .exitOverride();
  program.parse(args, { from: 'user' });
  const { arch, out, deb, quick } = program.opts<Flags>();
  if (process.platform !== 'linux') throw new Error('Archives for Linux are made on Linux: they need GNU tar and its modes of files.');
  const seconds = await timeOfSources();
  const version = readVersion();
  await packPackages();
  makeDirs(out);
  const made: string[] = [];
  const pages = await buildFreshPages(out);
  try {
    for (const target of arch) made.push(...(await makeFor(target, { out, deb, quick, seconds, version, pages })));
  } finally {
    await rm(pages, { recursive: true, force: true });
  }
  await writeChecksums(out, made);
  for (const name of made) say(`${name}  ${((await stat(join(out, name))).size / 1e6).toFixed(1)} MB`);
  say(`They are in ${out}, with SHA256SUMS.`);
}

/**
 * Not those of the checkout: their digest tells what they are made of, not that nobody has touched them since.
 *
 * @returns a folder with `renderer/dist` and `web/dist`
 */
async function buildFreshPages(out: string): Promise<string> {
  const folder = await mkdtemp(join(out, '.pages-'));
  for (const name of ['renderer', 'web'] as const) await buildInto(name, join(folder, name, 'dist'));
  return folder;
}

async function makeFor(
  target: Target,
  {
    out,
    deb,
    quick,
    seconds,
    version,
    pages,
  }: Omit<Flags, 'arch'> & { readonly seconds: number; readonly version: string; readonly pages: string },
): Promise<string[]> {
  const name = `longshore-${version}-linux-${target.arch}`;
  const work = await mkdtemp(join(out, '.work-'));
  try {
    const tree = join(work, name);
    await layOut({ project, pages, tree, target, seconds });
    await copyFile(join(tree, 'components.json'), join(out, `${name}.components.json`));
    await packArchive(tree, join(out, `${name}.tar.gz`), seconds, quick);
    const made = [`${name}.tar.gz`, `${name}.components.json`];
    if (!deb) return made;
    const file = `longshore_${version}_${target.debianArch}.deb`;
    await makeDebianPackage({ project, tree, file: join(out, file), version, target, seconds, quick });
    return [...made, file];
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** @throws Error outside a checkout, where nobody says it */
async function timeOfSources(): Promise<number> {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined && given !== '') {
    if (/^\d{1,10}$/.test(given)) return Number(given);
    throw new Error('SOURCE_DATE_EPOCH should be seconds since 1970, a whole number.');
  }
  const said = await run('git', ['log', '-1', '--format=%ct'], { cwd: project }).catch((cause: unknown) => {
    throw new Error('The time of the files is that of the commit, and this is no checkout: give SOURCE_DATE_EPOCH.', { cause });
  });
  return Number(said.trim());
}

function parseTargets(text: string): readonly Target[] {
  return text.split(',').map((arch) => {
    const target = targets.find((one) => one.arch === arch.trim());
    if (!target) throw new InvalidArgumentError(`Give ${targets.map((one) => one.arch).join(' or ')}.`);
    return target;
  });
}

if (import.meta.main) {
  try {
    await release(process.argv.slice(2), (text) => void process.stdout.write(`${text}\n`));
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      console.error(`npm run dist: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
}
