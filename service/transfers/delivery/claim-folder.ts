import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { foldedPath } from './names.ts';
import type { DeliveryRequest } from './ports.ts';

type ClaimRequest = Pick<DeliveryRequest, 'provider' | 'journal' | 'folder' | 'givenFolder' | 'signal'>;

/** From here on numbers are doubled, and the gap is halved again: a thousand packages of one name cost few requests. */
const triedOneByOne = 8;

/** A provider that goes on beyond these never ends. */
const mostPages = 1_000;
const highestNumber = 1_000_000;

export const endless = (): ProviderError =>
  new ProviderError('bad_answer', 'The storage lists without end. Check the endpoint; if that goes on, ask its operator.');

const numbered = (folder: string, number: number): string => (number === 1 ? folder : `${folder} (${number})`);

/** Whether anything lies in a folder. */
export async function isEmptyFolder(provider: CloudProvider, folder: string, signal: AbortSignal): Promise<boolean> {
  let cursor: string | null = null;
  let pages = 0;
  do {
    if (++pages > mostPages) throw endless();
    const page = await provider.list({ folder, count: 1, ...(cursor !== null && { cursor }) }, signal);
    if (page.entries.length > 0) return false;
    cursor = page.cursor;
  } while (cursor !== null);
  return true;
}

/**
 * Finds a folder that is not there, or the given one in which nothing lies, and makes it the transfer's. It is looked at first
 * and claimed then, so that nothing in a claimed folder is somebody else's.
 */
export async function claimFolder({ provider, journal, folder, givenFolder, signal }: ClaimRequest): Promise<string> {
  const problem = provider.paths.problem(folder);
  if (folder === '' || problem !== null) {
    throw new ProviderError(
      'misconfigured',
      // Without the folder: these words are mailed, and a stranger may have chosen it.
      `Deliveries cannot go to the target folder. ${problem ?? 'It has no name.'} Change it.`,
    );
  }
  const isUsed = async (number: number): Promise<boolean> => {
    const path = numbered(folder, number);
    if (!(await isEmptyFolder(provider, path, signal))) return true;
    if (path !== givenFolder && (await provider.hasFolder?.({ path }, signal))) return true;
    return (await provider.head({ id: path }, signal)) !== null;
  };
  for (let used = 0; ; ) {
    const number = await firstFree(used, isUsed);
    const candidate = numbered(folder, number);
    const key = provider.paths.ignoresCase ? foldedPath(candidate) : candidate;
    if ((await journal.claimFolder({ folder: candidate, key })) === 'claimed') return candidate;
    used = number;
  }
}

/** A number above `used` that is free, though the one before is not. */
async function firstFree(used: number, isUsed: (number: number) => Promise<boolean>): Promise<number> {
  let below = used;
  let free = used + 1;
  while (await isUsed(free)) {
    below = free;
    free = free < triedOneByOne ? free + 1 : free * 2;
    if (free > highestNumber) throw endless();
  }
  while (free - below > 1) {
    const middle = Math.floor((below + free) / 2);
    if (await isUsed(middle)) below = middle;
    else free = middle;
  }
  return free;
}
