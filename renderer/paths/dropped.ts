import type { DroppedEntry } from '#protocol/agent/paths.ts';
import type { DesktopBridge } from '../desktop/bridge.ts';

/** The result of a drop: paths where the desktop app knows them; in a browser what it tells of files and folders. */
export type Dropped =
  | { readonly kind: 'paths'; readonly paths: readonly string[] }
  | { readonly kind: 'entries'; readonly entries: Promise<readonly DescribedEntry[]> };

/** An entry of the browser, and what is told of it to the agent, which looks for it. */
export interface DescribedEntry {
  readonly entry: BrowserEntry;
  readonly described: DroppedEntry;
}

/** The parts of the browser's entries of files and folders that are used. */
export interface BrowserEntry {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly name: string;
  file?(found: (file: File) => void, failed: (error: unknown) => void): void;
  createReader?(): { readEntries(found: (entries: readonly BrowserEntry[]) => void, failed: (error: unknown) => void): void };
}

/** Files of a folder by which it is known, and entries looked at for them. */
const mostSamples = 10;
const mostLooked = 500;

/** What a drop holds. Call it within the event: afterwards the browser tells nothing any more. */
export function droppedOf(data: DataTransfer, bridge: Pick<DesktopBridge, 'pathOf'> | null): Dropped {
  if (bridge) {
    const paths = [...data.files].map((file) => bridge.pathOf(file)).filter((path) => path !== '');
    return { kind: 'paths', paths };
  }
  const entries = [...data.items].flatMap((item) => {
    if (item.kind !== 'file') return [];
    // What is no file of a disk, such as a picture of another page, has no entry.
    return [(item.webkitGetAsEntry() as BrowserEntry | null) ?? entryOf(item.getAsFile())];
  });
  return { kind: 'entries', entries: describeEntries(entries.filter((entry) => entry !== null)) };
}

const entryOf = (file: File | null): BrowserEntry | null =>
  file && { isFile: true, isDirectory: false, name: file.name, file: (found) => found(file) };

/** Files that were chosen in the browser's own dialog. */
export const chosenInBrowser = (files: Iterable<File>): Dropped => ({
  kind: 'entries',
  entries: describeEntries([...files].map((file) => entryOf(file)!)),
});

/** One that the browser cannot read is left out. */
export async function describeEntries(entries: readonly BrowserEntry[]): Promise<DescribedEntry[]> {
  const described = await Promise.all(entries.map(async (entry) => ({ entry, described: await describe(entry).catch(() => null) })));
  return described.flatMap(({ entry, described }) => (described ? [{ entry, described }] : []));
}

async function describe(entry: BrowserEntry): Promise<DroppedEntry> {
  if (entry.isFile) {
    const { size, lastModified } = await fileOf(entry);
    return { kind: 'file', name: entry.name, size, last_modified: new Date(lastModified).toISOString() };
  }
  return { kind: 'directory', name: entry.name, files: await samplesOf(entry) };
}

const fileOf = (entry: BrowserEntry): Promise<File> => new Promise((found, failed) => entry.file!(found, failed));

/** Some of the files in a folder, those near its top first. */
async function samplesOf(folder: BrowserEntry): Promise<{ path: string; size: number }[]> {
  const samples: { path: string; size: number }[] = [];
  const queue: { readonly entry: BrowserEntry; readonly path: string }[] = [{ entry: folder, path: '' }];
  let looked = 0;
  for (let at = 0; at < queue.length && samples.length < mostSamples && looked < mostLooked; at++) {
    const { entry, path } = queue[at]!;
    for (const child of await childrenOf(entry)) {
      if (++looked > mostLooked || samples.length >= mostSamples) break;
      const inside = path === '' ? child.name : `${path}/${child.name}`;
      if (child.isDirectory) queue.push({ entry: child, path: inside });
      else samples.push({ path: inside, size: (await fileOf(child)).size });
    }
  }
  return samples;
}

const childrenOf = (folder: BrowserEntry): Promise<readonly BrowserEntry[]> =>
  new Promise((found, failed) => folder.createReader!().readEntries(found, failed));
