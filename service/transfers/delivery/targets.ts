import { LRUCache } from 'lru-cache';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { fittingNames, fittingPath } from './long-names.ts';
import { foldedPath } from './names.ts';
import type { DeliveryFile, DeliveryJournal, JournaledFile } from './ports.ts';

/** Where each file of a page goes: full paths, in the page's order. */
export type Targets = (files: readonly JournaledFile[]) => Promise<readonly string[]>;

interface TargetOptions {
  readonly provider: Pick<CloudProvider, 'paths'>;
  readonly journal: Pick<DeliveryJournal, 'claimNames'>;
  /** The delivery's folder. */
  readonly folder: string;
}

/** Folders whose names are remembered. */
const maxFolders = 10_000;
/** Names claimed by one call. */
const maxClaims = 2_000;

/**
 * Names that the provider cannot hold are changed (names.ts), those that are too long are cut (long-names.ts). Where it ignores case, names that it would take for one are
 * told apart, folders too: the journal knows which one came first.
 */
export function createTargets({ provider: { paths }, journal, folder }: TargetOptions): Targets {
  if (!paths.ignoresCase) {
    return async (files) => files.map(({ file, target }) => target ?? fittingPath(paths, folder, file.path));
  }
  const folders = new LRUCache<string, string>({ max: maxFolders });

  /** Claims a spelling for each of the steps, which lie in folders that are known. */
  async function spell(steps: readonly Step[]): Promise<string[]> {
    const spelled: string[] = [];
    let open = steps.map((step, index) => ({ step, index, spellings: fittingNames(paths, step.name) }));
    while (open.length > 0) {
      const candidates = open.map(({ step, spellings }) => {
        const { value, done } = spellings.next();
        if (done) throw new Error("All spellings of a name are taken, though the last one is nobody else's.");
        return `${step.parent}/${value}`;
      });
      const owners: string[] = [];
      for (let at = 0; at < open.length; at += maxClaims) {
        const claims = open.slice(at, at + maxClaims).map(({ step }, index) => ({
          key: foldedPath(candidates[at + index]!),
          owner: step.owner,
        }));
        owners.push(...(await journal.claimNames(claims)));
      }
      open = open.filter(({ step, index }, at) => {
        spelled[index] = candidates[at]!;
        return owners[at] !== step.owner;
      });
    }
    return spelled;
  }

  return async (files) => {
    const open = files.filter(({ target }) => target === null).map(({ file }) => file);
    const deepest = open.reduce((most, file) => Math.max(most, parentsOf(file).length), 0);
    const known = new Map<string, string>([['', folder]]);
    const targetOf = (path: string): string => known.get(path) ?? folders.get(path)!;
    for (let depth = 0; depth < deepest; depth++) {
      const level = new Set(open.flatMap((file) => parentsOf(file)[depth] ?? []));
      for (const path of level) if (folders.has(path)) known.set(path, folders.get(path)!);
      const missing = [...level].filter((path) => !known.has(path));
      const spelled = await spell(missing.map((path) => stepOf(path, true, targetOf)));
      for (const [index, path] of missing.entries()) {
        known.set(path, spelled[index]!);
        folders.set(path, spelled[index]!);
      }
    }
    const targets = await spell(open.map(({ path, kind }) => stepOf(path, kind === 'directory', targetOf)));
    const byId = new Map(open.map(({ id }, index) => [id, targets[index]!]));
    return files.map(({ file, target }) => target ?? byId.get(file.id)!);
  };
}

interface Step {
  readonly parent: string;
  readonly name: string;
  readonly owner: string;
}

function stepOf(path: string, isFolder: boolean, targetOf: (folder: string) => string): Step {
  const slash = path.lastIndexOf('/');
  // A file and a folder of one name are two.
  return { parent: targetOf(path.slice(0, Math.max(0, slash))), name: path.slice(slash + 1), owner: isFolder ? `${path}/` : path };
}

/** Of `a/b/c`: `a` and `a/b`. */
function parentsOf({ path }: DeliveryFile): string[] {
  const parents: string[] = [];
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) parents.push(path.slice(0, slash));
  return parents;
}

/** Throws `name_refused` if the provider cannot hold the path, whatever is changed. */
export function checkTarget({ paths }: Pick<CloudProvider, 'paths'>, target: string): void {
  const problem = paths.problem(target);
  if (problem !== null) throw new ProviderError('name_refused', `${problem} Rename the file or its folders, and send it again.`);
}
