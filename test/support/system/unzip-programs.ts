import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasPrograms } from './programs.ts';

const run = promisify(execFile);

/** Info-ZIP's unzip, bsdtar and Python. */
export const hasUnzippers = (): boolean => hasPrograms('unzip', 'bsdtar', 'python3');

/** An entry as a program read it. */
export interface ReadEntry {
  readonly name: string;
  readonly size: number;
}

const script = `
import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
for i in z.infolist():
    if i.file_size < 2 ** 30:
        z.read(i)
print(json.dumps([{'name': i.filename, 'size': i.file_size} for i in z.infolist()]))
`;

const maxBuffer = 64 * 1024 * 1024;
// Names outside ASCII come out as they are.
const env = { ...process.env, LC_ALL: 'C.UTF-8' };

/**
 * Reads every entry and compares its checksum, by each of the three programs (Python, which is slow, leaves out those
 * of a GiB and more). Gives what Python and bsdtar found; rejects with what one of the three complains about.
 */
export async function testByAll(zip: string): Promise<{ readonly python: ReadEntry[]; readonly bsdtar: string[] }> {
  const [entries, names] = await Promise.all([
    run('python3', ['-c', script, zip], { maxBuffer, env }),
    run('bsdtar', ['-tf', zip], { maxBuffer, env }),
    run('unzip', ['-tqq', zip], { maxBuffer, env }),
    run('sh', ['-c', 'exec bsdtar -xOf "$1" > /dev/null', 'sh', zip], { env }),
  ]);
  return { python: JSON.parse(entries.stdout) as ReadEntry[], bsdtar: names.stdout.split('\n').filter(Boolean) };
}

/** What each of the three lists, and the bytes that each takes out of these entries; the others may have holes. */
export async function takeByAll(
  zip: string,
  names: readonly string[],
): Promise<readonly { readonly listed: string[]; readonly bytes: string }[]> {
  const text = async (program: string, ...args: string[]): Promise<string> => (await run(program, args, { maxBuffer, env })).stdout;
  const python = 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); [sys.stdout.buffer.write(z.read(n)) for n in sys.argv[2:]]';
  const list = 'import sys, zipfile; [print(n) for n in zipfile.ZipFile(sys.argv[1]).namelist()]';
  const programs = [
    [text('unzip', '-Z1', zip), text('unzip', '-p', zip, ...names)],
    [text('bsdtar', '-tf', zip), text('bsdtar', '-xOf', zip, ...names)],
    [text('python3', '-c', list, zip), text('python3', '-c', python, zip, ...names)],
  ] as const;
  return Promise.all(programs.map(async ([listed, bytes]) => ({ listed: (await listed).split('\n').filter(Boolean), bytes: await bytes })));
}

const unpackers = {
  unzip: (zip: string, folder: string) => ['-q', zip, '-d', folder],
  bsdtar: (zip: string, folder: string) => ['-xf', zip, '-C', folder],
  python3: (zip: string, folder: string) => ['-m', 'zipfile', '-e', zip, folder],
} as const;

export const unzippers = Object.keys(unpackers) as readonly (keyof typeof unpackers)[];

export async function unpack(program: keyof typeof unpackers, zip: string, folder: string): Promise<void> {
  await run(program, unpackers[program](zip, folder), { env });
}
