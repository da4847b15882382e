import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { HostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { AgentError, type ApiError } from '#protocol/errors.ts';
import { File } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import { shownName } from '../../folders/names.ts';
import '../../date-times.ts';
import { type ByteBlocks, createByteBlocks } from '../../io/byte-blocks.ts';
import type { ByteTransport } from '../../io/transport.ts';
import { createJsonItems, NotAList } from './json-items.ts';
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
 * The files of a package. The service's answer is validated while it comes, and used once it is whole; virtual zips are left out.
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
  let received = nothingReceived();
  const take = async (piece: Uint8Array, contentLength: number | null): Promise<void> => {
    const now = received;
    const isFirst = now.bytes === 0;
    now.bytes += piece.length;
    const most = contentLength === null ? longestWithoutLength : longestListing;
    if (Math.max(now.bytes, contentLength ?? 0) > most) {
      throw unusable(`its list of files is longer than ${most / MiB} MiB. Ask the sender to share it in several packages.`);
    }
    if (isFirst && looksLikeList(piece)) now.list = createListingReader(signal);
    if (now.list) await now.list.take(bufferOf(piece));
    else if (now.other.length < longestShown) now.other.append(piece.subarray(0, longestShown));
  };
  const api = clientWith(async (request) => {
    if (!request.url.endsWith('/files')) return transport.fetcher(request);
    received = nothingReceived();
    const reply = await transport.stream(request, take);
    // A page of another server, or an answer of another kind: reported as for every call.
    if (reply.status === 200 && !received.list) return { ...reply, text: Buffer.concat([...received.other.taken()]).toString('utf8') };
    // A proxy that speaks HTTP/1.0 passes on what was cut as if it were whole. It is asked for again.
    if (reply.status === 200 && !received.list?.isWhole()) throw new Error('the list of files was cut off on its way');
    return reply;
  });
  const answer = await api.call('listFiles', { params: { package_id: packageId }, ...(signal ? { signal } : {}) });
  // The text is the JSON `null` if the body was read by the stream.
  if (answer !== null || !received.list) throw unusable('it is no list of files.');
  return received.list.files;
}

/** What has come of an answer. `other`: its beginning, if it does not look like a list. */
interface Received {
  bytes: number;
  list: ListingReader | null;
  readonly other: ByteBlocks;
}

const nothingReceived = (): Received => ({ bytes: 0, list: null, other: createByteBlocks() });

/** The requested files of a listing; `null` for all. */
export function wantedOf(listing: readonly File[], fileIds: readonly string[] | null): readonly File[] {
  if (fileIds === null) return listing;
  const wanted = new Set(fileIds);
  return listing.filter(({ id }) => wanted.has(id));
}

/** An answer of another kind is short, or not worth more. */
const longestShown = 64 * 1024;

const looksLikeList = (first: Uint8Array): boolean => /^\s*(\[|$)/.test(bufferOf(first.subarray(0, 100)).toString('latin1'));

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Validates a listing while its bytes come. What it throws is `package_unusable`. */
interface ListingReader {
  /** The event loop gets turns meanwhile. */
  take(bytes: Buffer): Promise<void>;
  /** Whether the list's end has come. */
  isWhole(): boolean;
  /** All files, once it has. */
  readonly files: File[];
}

export function createListingReader(signal?: AbortSignal): ListingReader {
  const turn = createYielder(signal);
  const items = createJsonItems();
  const files: File[] = [];
  const known = new Map<string, Set<string>>();
  let index = 0;
  return {
    async take(bytes) {
      try {
        for (const record of items.take(bytes)) {
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
        throw unusableList(cause);
      }
    },
    isWhole: items.isWhole,
    files,
  };
}

const unusableList = (cause: unknown): unknown => (cause instanceof NotAList ? unusable(`${cause.message}.`) : cause);

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
