import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';

/** What a process tells: of its API, or that it has transfers under way. */
type Kind = 'api' | 'transfers';

/** What another process, or this one, has told. */
interface Told {
  /** Milliseconds. */
  readonly age: number;
  /** Not checked. */
  readonly facts: unknown;
}

/**
 * A folder in the data folder by which the processes of a machine tell each other once a second how they are. It needs no
 * database, and what another machine says does not count: to wait for its callers would help nobody.
 */
export interface ReportsFolder {
  /** In place of what this process told of it before. Rejects as the disk does. */
  tell(kind: Kind, facts: object): Promise<void>;
  /** Of all processes of this machine; what one told before it was killed is removed after a minute. */
  read(kind: Kind): Promise<readonly Told[]>;
  /** Removes what this process has told. */
  forget(kind: Kind): Promise<void>;
}

/** Long after what is in a file says anything. */
const keptMilliseconds = 60_000;

interface Content {
  readonly at: number;
  readonly machine: string;
  readonly facts: unknown;
}

/** Containers of one machine have the same id; it is another one after each start of the machine. */
function thisMachine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return hostname();
  }
}

export function openReportsFolder(dataDir: string, now: () => number = Date.now, machine: string = thisMachine()): ReportsFolder {
  const folder = join(dataDir, 'reports');
  // Not the id of the process: those of two containers may be the same.
  const own = randomUUID();
  const fileOf = (kind: Kind) => join(folder, `${kind}-${own}.json`);

  async function readOne(name: string): Promise<Content | null> {
    try {
      return JSON.parse(await readFile(join(folder, name), 'utf8')) as Content;
    } catch {
      // It was removed meanwhile, or a full disk has cut it short.
      return null;
    }
  }

  return {
    async tell(kind, facts) {
      const content: Content = { at: now(), machine, facts };
      const temporary = join(folder, `${kind}-${own}.tmp`);
      makeDirs(folder, 0o700);
      try {
        await writeFile(temporary, JSON.stringify(content), { mode: 0o600 });
        // Whoever reads has the whole of one or the other.
        await rename(temporary, fileOf(kind));
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        throw error;
      }
    },
    async read(kind) {
      const names = await readdir(folder).catch(() => []);
      const told: Told[] = [];
      for (const name of names.filter((one) => one.startsWith(`${kind}-`) && one.endsWith('.json'))) {
        const content = await readOne(name);
        const age = content ? now() - content.at : Number.POSITIVE_INFINITY;
        // A clock may have been put back.
        if (Math.abs(age) > keptMilliseconds) await rm(join(folder, name), { force: true }).catch(() => undefined);
        else if (content?.machine === machine) told.push({ age, facts: content.facts });
      }
      return told;
    },
    async forget(kind) {
      await rm(fileOf(kind), { force: true }).catch(() => undefined);
    },
  };
}
