import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';

/** Name of the token file in the data folder. */
export const tokenFileName = 'api-token';

/**
 * Reads the agent's token, or creates it at the first start, in a file that only its owner can read.
 *
 * @returns the token and its file's path
 */
export async function readOrMakeToken(dataDir: string): Promise<{ token: string; file: string }> {
  makeDirs(dataDir, 0o700);
  const file = join(dataDir, tokenFileName);
  try {
    // `wx` creates the file or fails: if two agents start at the same time, only one creates the token.
    const handle = await open(file, 'wx', 0o600);
    try {
      const token = `lsa_${randomBytes(32).toString('base64url')}`;
      await handle.writeFile(`${token}\n`);
      await handle.sync();
      return { token, file };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const token = await tokenIn(file);
  if (token.length < 32) throw new Error(`${file} holds no usable token. Delete it, and the next start makes a new one.`);
  return { token, file };
}

/** The agent's token of an earlier start; `null` where there is none. */
export async function readToken(dataDir: string): Promise<string | null> {
  const token = await tokenIn(join(dataDir, tokenFileName)).catch(() => '');
  return token.length < 32 ? null : token;
}

const tokenIn = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim();

/** Constant-time comparison: the time reveals nothing about either text. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The token of an `Authorization: Bearer` header; empty where there is none. */
export function shownToken(authorization: string | undefined): string {
  return /^Bearer +(\S{1,256})$/i.exec(authorization ?? '')?.[1] ?? '';
}
