import { createHash } from 'node:crypto';
import { lineDamages } from '#client/damage.ts';
import { remedyFor } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { ReceiptEntry } from '#protocol/receipt.ts';
import type { FileEntry } from '../state/files.ts';
import type { JobContext, JobPorts } from '../transfer/job.ts';
import { packageIdOf, type TransferRecord } from '../transfer/record.ts';
import { retryWithActivity } from '../transfer/retry-with-activity.ts';
import type { Keys } from './check-signature.ts';
import { createHashSet, type HashSet } from './hash-set.ts';
import { type CheckedReceipt, invalid, type Pieces, readReceipt } from './read-receipt.ts';
import type { Draft } from './receipt-store.ts';

/** A client whose calls go through this fetcher. */
export type ClientWith = (fetcher: Fetcher) => HostedClient;

/** A receipt that was read before its turn, and not compared yet. */
interface ReceivedReceipt {
  readonly draft: Draft;
  /** Has ended. Rejects with what is wrong with it. */
  readonly reading: Promise<Reading>;
}

/** A receipt that is fetched before its turn. */
export interface ReceiptAhead {
  /** `null` if it did not come. */
  taken(): Promise<ReceivedReceipt | null>;
  /** Stops fetching, and deletes what has come if it was not accepted. */
  discard(): Promise<void>;
}

/**
 * Begins to fetch and read the receipt of a finalized package while its files still move: at the end it is compared alone. Nothing that
 * goes wrong here is the transfer's: its own attempt meets it, or that there is no receipt, if that is still so.
 */
export function fetchAhead(ports: JobPorts, record: TransferRecord, client: ClientWith, signal: AbortSignal): ReceiptAhead {
  const stop = new AbortController();
  let draft: Draft | undefined;
  async function fetch(): Promise<Awaited<ReturnType<ReceiptAhead['taken']>>> {
    draft = ports.receipts.draft(record.id);
    const stopped = AbortSignal.any([signal, stop.signal]);
    const keys = await download(ports, record, client, draft, stopped);
    if (keys === null) return null;
    const reading = readEntries(draft, keys, stopped);
    await reading.catch(() => undefined);
    return { draft, reading };
  }
  const taken = fetch().catch(() => null);
  return {
    taken: () => taken,
    async discard() {
      stop.abort();
      await taken;
      // What cannot be deleted now is at the next start.
      await draft?.discard().catch(() => undefined);
    },
  };
}

/**
 * Fetches the receipt at the end of a transfer, checks its signature, compares it with the transferred files and stores it
 * (docs/decisions/0019). Returns the thumbprint of the key that signed it; empty if the service provides no receipt.
 * Errors: `receipt_invalid`, `receipt_differs`.
 *
 * @param ahead taken in place of the first attempt if it has come
 */
export async function fetchReceipt(
  ports: JobPorts,
  record: TransferRecord,
  client: ClientWith,
  context: JobContext,
  ahead: ReceiptAhead | null = null,
): Promise<string> {
  /** The last receipt that failed its checks. If the service really stores it, the next answer is the same. */
  let previous = '';
  let early = ahead;
  return retryWithActivity(context, async () => {
    const taken = await early?.taken();
    if (!taken) await early?.discard();
    early = null;
    const draft = taken?.draft ?? ports.receipts.draft(record.id);
    try {
      if (taken) return await judge(ports, record, await taken.reading, draft);
      const keys = await download(ports, record, client, draft, context.signal);
      return keys === null ? '' : await judge(ports, record, await readEntries(draft, keys, context.signal), draft);
    } catch (error) {
      if (!(error instanceof ApiError) || error.error !== 'receipt_invalid') throw error;
      const came = await digestOf(draft);
      if (came === previous) throw error;
      previous = came;
      throw lineDamages(context.retries, error);
    } finally {
      await draft.discard();
    }
  });
}

async function digestOf(draft: Draft): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of draft.read()) hash.update(piece);
  return hash.digest('hex');
}

/** What a receipt that was checked says. */
interface Reading extends CheckedReceipt {
  readonly entries: HashSet;
}

async function readEntries(draft: Draft, keys: Keys, signal: AbortSignal): Promise<Reading> {
  const entries = createHashSet();
  const checked = await readReceipt(draft.read(), keys, (some) => {
    signal.throwIfAborted();
    for (const entry of some) entries.add(keyOf(entry));
  });
  return { ...checked, entries };
}

async function judge(ports: JobPorts, record: TransferRecord, { claims, keyId, entries }: Reading, draft: Draft): Promise<string> {
  if (claims.package_id !== packageIdOf(record)) throw invalid('it is that of another package.');
  const differing = compare(ports, record, (text) => entries.has(text), entries.size);
  draft.accept();
  if (differing) throw new AgentError('receipt_differs', { detail: await describeDifferences(differing, ports.receipts.open(record.id)) });
  return keyId;
}

/** Fetches the receipt and its keys; null if the service has none. */
async function download(ports: JobPorts, record: TransferRecord, client: ClientWith, draft: Draft, signal: AbortSignal) {
  const { fetcher, stream } = ports.transport;
  let diskFailure: unknown = null;
  const take = async (piece: Uint8Array): Promise<void> => {
    await draft.take(piece).catch((error: unknown) => {
      diskFailure = error;
      throw error;
    });
  };
  const api = client((request) => (request.url.endsWith('/receipt') ? stream(request, take) : fetcher(request)));
  try {
    const [keys] = await Promise.all([
      api.call('serviceKeys', { credential: { kind: 'none' }, signal }),
      api.call('getReceipt', { params: { package_id: packageIdOf(record) }, signal }),
    ]);
    await draft.end();
    return keys;
  } catch (error) {
    signal.throwIfAborted();
    if (diskFailure) throw diskFailure;
    const remedy = remedyFor(error);
    if (!(error instanceof ApiError) || (remedy.kind !== 'never' && remedy.kind !== 'needs_person')) throw error;
    // An older service, or a link that has ended meanwhile. Every file has been compared with its digest before.
    ports.log.warn({ transfer: record.id, error: error.message }, 'the service gave no receipt');
    return null;
  }
}

type Entry = Pick<ReceiptEntry, 'kind' | 'path' | 'size' | 'digest'>;

const keyOf = ({ kind, path, size = 0, digest = '' }: Entry): string => `${kind}\n${path}\n${size}\n${digest}`;

const entryOf = ({ kind, path, name, size, digest }: FileEntry): Entry => ({
  kind,
  path: path === '' ? name : `${path}/${name}`,
  size,
  digest,
});

interface Differences {
  readonly count: number;
  /** The first local difference; null if only the receipt has more. */
  readonly first: Entry | null;
}

const filesPerPage = 1_000;

/** Null if the receipt has every complete file unchanged and, for the download of a whole package, no others. */
function compare({ store }: JobPorts, record: TransferRecord, has: (text: string) => boolean, inReceipt: number): Differences | null {
  let [count, known] = [0, 0];
  let first: Entry | null = null;
  for (let afterId = 0; ; ) {
    const files = store.files.entries(record.id, afterId, filesPerPage);
    if (files.length === 0) break;
    afterId = files.at(-1)!.id;
    known += files.length;
    for (const file of files) {
      if (file.state !== 'complete') continue;
      const entry = entryOf(file);
      // If neither the sender nor the storage provided a digest, the receipt has none.
      if (has(keyOf(entry)) || has(keyOf({ ...entry, digest: '' }))) continue;
      first ??= entry;
      count++;
    }
  }
  if (count > 0) return { count, first };
  // The package of an upload may contain more, such as the answers to a Portal's form.
  const whole = record.kind === 'download' && record.request.fileIds === null;
  return whole && inReceipt !== known ? { count: Math.abs(inReceipt - known), first: null } : null;
}

async function describeDifferences({ count, first }: Differences, pieces: Pieces): Promise<string> {
  if (first === null) return `it names ${count} files more or fewer than the service listed.`;
  let there: ReceiptEntry | undefined;
  await readReceipt(pieces, 'enclosed', (entries) => {
    there ??= entries.find(({ path }) => path === first.path);
  });
  const others = count === 1 ? '' : ` ${count - 1} more differ.`;
  if (!there || there.kind !== first.kind) return `"${first.path}" is not in it.${others}`;
  if (there.size !== first.size) return `"${first.path}" has ${there.size} bytes there and ${first.size} here.${others}`;
  return `"${first.path}" has the digest ${there.digest} there and ${first.digest} here.${others}`;
}
