import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a secret may be hidden: as it is, in JSON, in an address, in hex, and in base64 at any of its three alignments. */
export function encodingsOf(secret: string): readonly Buffer[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const aligned = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and last letters depend on what stands beside the secret.
    const inner = text.slice(Math.ceil((shift * 8) / 6), -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const texts = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), hex, hex.toUpperCase(), ...aligned];
  return [...new Set(texts)].map((text) => Buffer.from(text));
}

/** Names of the secrets that stand in it, in any disguise. */
export function secretsIn(bytes: Buffer | string, secrets: Readonly<Record<string, string>>): string[] {
  const haystack = Buffer.from(bytes);
  return Object.entries(secrets)
    .filter(([, secret]) => encodingsOf(secret).some((disguise) => haystack.includes(disguise)))
    .map(([name]) => name);
}

/** Every file below a folder, with its bytes. */
export async function filesBelow(folder: string): Promise<{ readonly path: string; readonly bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (path) => ({ path, bytes: await readFile(path) })));
}

/** Command line and environment of a process and of all below it. Linux only. */
export async function processTree(
  pid: number,
): Promise<{ readonly pid: number; readonly command: string; readonly environment: string }[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  }
  const below = (one: number): boolean => one === pid || (parents.has(one) && one > 1 && below(parents.get(one)!));
  const text = (path: string) => readFile(path, 'latin1').catch(() => '');
  return Promise.all(
    [...parents.keys()].filter(below).map(async (one) => ({
      pid: one,
      command: await text(`/proc/${one}/cmdline`),
      environment: await text(`/proc/${one}/environ`),
    })),
  );
}
