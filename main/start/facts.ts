import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';

/** What `npm start` stores for its next start. */
export interface StartFacts {
  readonly owner: { readonly email: string; readonly password: string; readonly team: string };
  /** The first agent's API key; absent until the service has created one. */
  readonly apiKey?: string;
  /** Folder with the copy of the last crossing. */
  readonly received?: string;
}

export interface OpenedFacts {
  readonly facts: StartFacts;
  /** Whether they were made just now. */
  readonly first: boolean;
  /** Path of the file that they are in. */
  readonly file: string;
}

const factsFileName = 'start.json';

/**
 * Reads the facts, or creates them at the first start. The owner's password is generated unless the environment gives
 * one, and is stored on disk before anything uses it.
 */
export async function openFacts(dataDir: string, env: NodeJS.ProcessEnv): Promise<OpenedFacts> {
  // As root, other users may traverse this folder but not list it: the service's private PostgreSQL runs as another
  // user in a subfolder.
  try {
    makeDirs(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`The data folder ${dataDir} cannot be made (${message}). Choose another one with --data-dir.`, { cause });
  }
  const file = join(dataDir, factsFileName);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text !== null) return { facts: parsed(text, file), first: false, file };
  const facts: StartFacts = {
    owner: {
      email: env['LONGSHORE_OWNER_EMAIL'] || 'owner@longshore.example',
      password: env['LONGSHORE_OWNER_PASSWORD'] || randomBytes(15).toString('base64url'),
      team: env['LONGSHORE_TEAM'] || 'First Team',
    },
  };
  await writeFacts(dataDir, facts);
  return { facts, first: true, file };
}

function parsed(text: string, file: string): StartFacts {
  try {
    const facts = JSON.parse(text) as StartFacts;
    if (typeof facts.owner.email === 'string' && typeof facts.owner.password === 'string') return facts;
  } catch {
    // Reported below, together with the case of valid JSON with other content.
  }
  throw new Error(`${file} is damaged. Put it back from a copy, or choose another folder with --data-dir.`);
}

/** Writes the facts atomically, readable only by the folder's owner. */
export async function writeFacts(dataDir: string, facts: StartFacts): Promise<void> {
  const file = join(dataDir, factsFileName);
  const next = `${file}.next`;
  const handle = await open(next, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(facts, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
}
