import { childOf, childrenOf, readXml, textOf, type XmlNode } from '../http/xml.ts';
import type { CloudEntry, ListPage, ListRequest } from '../ports.ts';
import { bareEtag, dateOf } from './blobs.ts';
import type { AzureRequests } from './requests.ts';

/** Bytes of a page: 1,000 entries with the longest names. */
const maxBytes = 16 * 1024 * 1024;

/** A page of a container's list, as Azure sends it. */
interface RawPage {
  readonly blobs: readonly RawBlob[];
  /** Folders that have something in them, with a slash at the end. */
  readonly prefixes: readonly string[];
  readonly cursor: string | null;
}

interface RawBlob {
  readonly name: string;
  readonly isFolder: boolean;
  readonly node: XmlNode;
}

interface RawRequest {
  readonly prefix: string;
  readonly count: number;
  readonly cursor?: string;
  readonly recursive: boolean;
}

async function rawPage(requests: AzureRequests, { prefix, count, cursor, recursive }: RawRequest, signal: AbortSignal): Promise<RawPage> {
  const query = {
    restype: 'container',
    comp: 'list',
    // Tells folders that are real ones, or that other programs have marked.
    include: 'metadata',
    prefix,
    maxresults: String(count),
    ...(!recursive && { delimiter: '/' }),
    ...(cursor !== undefined && { marker: cursor }),
  };
  const { bytes } = await requests.send({ method: 'GET', query, needs: 'l' }, signal, maxBytes);
  const root = readXml(bytes, 'EnumerationResults');
  const all = childOf(root, 'Blobs');
  const next = textOf(childOf(root, 'NextMarker'));
  return {
    blobs: childrenOf(all, 'Blob').map(rawBlob),
    prefixes: childrenOf(all, 'BlobPrefix').map((node) => nameOf(childOf(node, 'Name'))),
    cursor: next === '' ? null : next,
  };
}

function rawBlob(node: XmlNode): RawBlob {
  const name = nameOf(childOf(node, 'Name'));
  const marked = textOf(childOf(childOf(node, 'Metadata'), 'hdi_isfolder')) === 'true';
  const real = textOf(childOf(childOf(node, 'Properties'), 'ResourceType')) === 'directory';
  return { name, node, isFolder: marked || real || name.endsWith('/') };
}

/** Names that XML cannot hold come encoded, and say so. */
function nameOf(node: XmlNode | undefined): string {
  const text = textOf(node);
  return textOf(childOf(node, 'Encoded')) === 'true' ? decodeURIComponent(text) : text;
}

const lastStep = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const folderEntry = (path: string): CloudEntry => {
  const id = path.replace(/\/$/, '');
  return { kind: 'folder', id, name: lastStep(id) };
};

function fileEntry({ name, node }: RawBlob): CloudEntry {
  const property = (property: string): string => textOf(childOf(childOf(node, 'Properties'), property));
  return {
    kind: 'file',
    id: name,
    name: lastStep(name),
    size: Number(property('Content-Length')),
    etag: bareEtag(property('Etag')),
    modified: dateOf(property('Last-Modified')),
    archived: property('AccessTier') === 'Archive',
  };
}

/** The path of a folder as the beginning of the names in it. */
export const prefixOf = (folder: string): string => (folder === '' ? '' : `${folder.replace(/\/+$/, '')}/`);

/** Whether anything lies below a folder. Its own marker does not count unless said. */
export async function hasEntries(
  requests: AzureRequests,
  folder: string,
  { withMarker = false }: { readonly withMarker?: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const prefix = prefixOf(folder);
  const { blobs } = await rawPage(requests, { prefix, count: 2, recursive: true }, signal);
  return blobs.some(({ name }) => withMarker || name !== prefix);
}

export async function listFolder(
  requests: AzureRequests,
  { folder, cursor, count, recursive = false }: ListRequest,
  signal: AbortSignal,
): Promise<ListPage> {
  const prefix = prefixOf(folder);
  const request = { prefix, count, recursive, ...(cursor !== undefined && { cursor }) };
  const { blobs, prefixes, cursor: next } = await rawPage(requests, request, signal);
  const found = blobs.filter(({ name }) => name !== prefix);
  const files = found.filter(({ isFolder }) => !isFolder).map(fileEntry);
  const marked = found.filter(({ isFolder }) => isFolder).map(({ name }) => name);
  if (!recursive) {
    // A folder may be both marked and have something in it.
    const folders = new Map([...marked, ...prefixes].map(folderEntry).map((entry) => [entry.id, entry] as const));
    return { entries: [...folders.values(), ...files], cursor: next };
  }
  const empty: CloudEntry[] = [];
  for (const name of marked) {
    const below = prefixOf(name);
    const isSeen = found.some((other) => other.name !== below && other.name.startsWith(below));
    if (!isSeen && !(await hasEntries(requests, name, {}, signal))) empty.push(folderEntry(name));
  }
  return { entries: [...empty, ...files], cursor: next };
}
