import { ProviderError } from '#providers/errors.ts';
import type { CloudEntry, CloudObject } from '#providers/ports.ts';
import type { FileFailure } from '../delivery/errors.ts';
import { ImportError } from './errors.ts';
import { type PackagePath, pathBelow, pathFault, splitPath, wholePath } from './names.ts';
import type { ImportEntry, ImportItem, ImportRequest } from './ports.ts';
import { folderOf } from './selection.ts';

/** Single files looked at with one write; entries of one listing. */
const itemsPerPage = 200;
const entriesPerPage = 1_000;
/** Looks at single files at the same time. */
const concurrency = 16;

type ExpandRequest = Pick<ImportRequest, 'provider' | 'journal' | 'signal'> & { readonly limits: Pick<ImportRequest['limits'], 'entries'> };

/** What was found of some items: entries, or why they cannot come. */
interface Found {
  readonly entries: ImportEntry[];
  readonly failures: FileFailure[];
}

const twice = 'Two of the files would have this path in the package. Rename one of them, or bring them under other names.';
const there = 'The package has a finalized file of this path already. Delete it first, or choose another name.';
const cold = 'It lies in cold storage. Restore it at the provider, then retry.';
const missing = 'It is not there. Check its name at the provider, then retry.';

const cannotCome = 'cannot come either';

/**
 * Looks at all that was asked for and writes down what that is, page by page: nothing is in the package before all of it is
 * known to be there, and readable. Goes on where it stopped. Errors: `ImportError`, `ProviderError`.
 */
export async function expandItems(request: ExpandRequest): Promise<void> {
  const { journal, limits, signal } = request;
  const summary = await journal.summary();
  if (summary.planned) return;
  let known = summary.total.files;
  for (;;) {
    signal.throwIfAborted();
    const items = await journal.items(itemsPerPage);
    const [first] = items;
    if (!first) break;
    const { found, looked } = first.kind === 'file' ? await lookAtFiles(request, items) : await lookAtFolder(request, first);
    refuse(found.failures);
    known += found.entries.length;
    if (known > limits.entries) {
      throw new ImportError(1, [
        { path: first.name, message: `A transfer brings at most ${limits.entries} files and folders. Choose fewer, in several transfers.` },
      ]);
    }
    const taken = await journal.add({ entries: found.entries, items: looked });
    refuse(taken.map((path) => ({ path, message: twice })));
  }
  const conflicts = await journal.finishPlan();
  refuse(conflicts.map((path) => ({ path, message: there })));
}

function refuse(failures: readonly FileFailure[]): void {
  if (failures.length > 0) throw new ImportError(failures.length, failures, cannotCome);
}

interface Look {
  readonly found: Found;
  readonly looked: readonly Pick<ImportItem, 'position' | 'cursor'>[];
}

/** The files before the first folder. */
async function lookAtFiles({ provider, signal }: ExpandRequest, items: readonly ImportItem[]): Promise<Look> {
  const end = items.findIndex(({ kind }) => kind === 'directory');
  const files = end === -1 ? items : items.slice(0, end);
  const objects: (CloudObject | null)[] = [];
  const rest = files.entries();
  const worker = async () => {
    for (const [index, { id }] of rest) objects[index] = await provider.head({ id }, signal);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const found: Found = { entries: [], failures: [] };
  for (const [index, { name }] of files.entries()) {
    const object = objects[index];
    if (!object) found.failures.push({ path: name, message: missing });
    else note(found, splitPath(name), object);
  }
  return { found, looked: files.map(({ position }) => ({ position, cursor: null })) };
}

/** One page of a folder, with all that is below it. */
async function lookAtFolder({ provider, signal }: ExpandRequest, item: ImportItem): Promise<Look> {
  const folder = folderOf(item.id);
  const request = { folder, count: entriesPerPage, recursive: true, ...(item.cursor !== null && { cursor: item.cursor }) };
  const { entries, cursor } = await provider.list(request, signal);
  const found: Found = { entries: [], failures: [] };
  for (const entry of entries) {
    const target = pathBelow(item.name, relativeTo(folder, entry));
    if (entry.kind === 'file') note(found, target, entry);
    else noteFolder(found, target, entry.id);
  }
  if (entries.length === 0 && item.cursor === null && cursor === null) {
    const marker = await provider.head({ id: `${folder}/` }, signal);
    if (marker) noteFolder(found, splitPath(item.name), marker.id);
    else found.failures.push({ path: item.name, message: missing });
  }
  return { found, looked: [{ position: item.position, cursor }] };
}

function relativeTo(folder: string, { id }: CloudEntry): string {
  const prefix = folder === '' ? '' : `${folder}/`;
  if (!id.startsWith(prefix)) throw new ProviderError('bad_answer', 'The storage listed a file of another folder. Ask its operator.');
  return folderOf(id.slice(prefix.length));
}

function note(found: Found, target: PackagePath, { id, size, etag, modified, archived }: CloudObject): void {
  const problem = idFault(id);
  const fault = pathFault(target);
  if (problem !== null) found.failures.push({ path: id, message: problem });
  else if (fault !== null) found.failures.push({ path: wholePath(target), message: `A package cannot hold it: ${fault}` });
  else if (archived) found.failures.push({ path: wholePath(target), message: cold });
  else found.entries.push({ kind: 'file', id, ...target, size, etag, modified });
}

function noteFolder(found: Found, target: PackagePath, id: string): void {
  const fault = pathFault(target);
  if (fault !== null) found.failures.push({ path: wholePath(target), message: `A package cannot hold it: ${fault}` });
  else found.entries.push({ kind: 'directory', id, ...target, size: 0, etag: '', modified: null });
}

/** Such a key cannot be asked for: an address with these steps leads elsewhere. */
function idFault(id: string): string | null {
  if (id.split('/').some((step) => step === '.' || step === '..'))
    return 'It cannot be fetched, since its path has a step like ".." or ".".';
  if (id.includes('\0') || !id.isWellFormed()) return 'It cannot be fetched, since its name is no well-formed text.';
  return id.endsWith('/') ? 'It cannot be brought, since its name ends with a slash though it has content.' : null;
}
