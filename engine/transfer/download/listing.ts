import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { HostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { AgentError, type ApiError } from '#protocol/errors.ts';
import { File } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import { shownName } from '../../folders/names.ts';
import { createByteBlocks } from '../../io/byte-blocks.ts';
import type { ByteTransport } from '../../io/transport.ts';
import { jsonItems, NotAList } from './json-items.ts';
import { createYielder } from './yielder.ts';

const MiB = 1024 * 1024;

/** Maximum bytes of a file list: some 300 for each file. */
const longestListing = 256 * MiB;
/** The same if the service does not send the length first: it limits what is read in vain. */
const longestWithoutLength = 64 * MiB;

const one = Compile(File);
/** Only for error messages, which name the record. */
const all = Compile(Type.Array(File));

const unusable = (detail: string): ApiError => new AgentError('package_unusable', { detail });

/**
 * The files of a package. The service's answer is validated before it is used; virtual zips are left out.
 * `package_unusable` if it is not a list of files, contains a name twice, or is too long; call failures are thrown
 * unchanged.
 *
 * @param clientWith a client whose calls go through this fetcher
 */
export async function fetchListing(
  transport: Pick<ByteTransport, 'fetcher' | 'stream'>,
  clientWith: (fetcher: Fetcher) => Pick<HostedClient, 'call'>,
  packageId: string,
  signal?: AbortSignal,
): Promise<File[]> {
  let blocks = createByteBlocks();
  let looksLikeList = false;
  const take = async (piece: Uint8Array, contentLength: number | null): Promise<void> => {
    const most = contentLength === null ? longestWithoutLength : longestListing;
    if (Math.max(blocks.length + piece.length, contentLength ?? 0) > most) {
      blocks = createByteBlocks();
      throw unusable(`its list of files is longer than ${most / MiB} MiB. Ask the sender to share it in several packages.`);
    }
    if (blocks.length === 0) looksLikeList = /^\s*(\[|$)/.test(Buffer.from(piece.subarray(0, 100)).toString('latin1'));
    blocks.append(piece);
  };
  const api = clientWith(async (request) => {
    if (!request.url.endsWith('/files')) return transport.fetcher(request);
    blocks = createByteBlocks();
    const reply = await transport.stream(request, take);
    // A page of another server, or an answer of another kind: reported as for every call.
    if (reply.status === 200 && !looksLikeList) return { ...reply, text: firstOf(blocks.taken()) };
    return reply;
  });
  const other = await api.call('listFiles', { params: { package_id: packageId }, ...(signal ? { signal } : {}) });
  // The text is the JSON `null` if the body was read by the stream.
  if (other !== null) throw unusable('it is no list of files.');
  return checkedListing(blocks.taken(), signal);
}

/** The requested files of a listing; `null` for all. */
export function wantedOf(listing: readonly File[], fileIds: readonly string[] | null): readonly File[] {
  if (fileIds === null) return listing;
  const wanted = new Set(fileIds);
  return listing.filter(({ id }) => wanted.has(id));
}

const firstOf = (blocks: Iterable<Buffer>): string => {
  for (const block of blocks) return block.toString('utf8');
  return '';
};

/** Validates a listing's bytes and returns its files; the event loop gets turns meanwhile. Throws `package_unusable`. */
export async function checkedListing(blocks: Iterable<Buffer>, signal?: AbortSignal): Promise<File[]> {
  const turn = createYielder(signal);
  const files: File[] = [];
  const known = new Map<string, Set<string>>();
  let index = 0;
  try {
    for (const record of jsonItems(blocks)) {
      const file = checked(record, index++);
      if (file.kind === 'file' || file.kind === 'directory') {
        checkChunks(file);
        checkOnce(file, known);
        files.push(file);
      }
      const pause = turn();
      if (pause) await pause;
    }
  } catch (cause) {
    throw cause instanceof NotAList ? unusable(`${cause.message}.`) : cause;
  }
  return files;
}

function checked(record: unknown, index: number): File {
  if (one.Check(record)) return record;
  const [first] = all.Errors([record]);
  throw unusable(first ? `${first.instancePath.replace(/^\/0/, `/${index}`)} ${first.message}.` : 'it is no list of files.');
}

function checkChunks(file: File): void {
  const size = file.size ?? 0;
  const chunkSize = file.chunk_size || limits.defaultChunkSize;
  if (file.kind === 'file' && size / chunkSize > limits.maxChunkCount)
    throw unusable(`a file of ${size} bytes has chunks of ${chunkSize}.`);
}

/** Our services never have two files of one name in a folder; it would be unclear which one was requested. */
function checkOnce({ path, name }: File, known: Map<string, Set<string>>): void {
  const names = known.get(path);
  if (!names) known.set(path, new Set([name]));
  else if (names.has(name)) throw unusable(`it names "${shownName(path === '' ? name : `${path}/${name}`)}" twice.`);
  else names.add(name);
}
