import type { Content } from './content.ts';
import type { DeliveryJournal, JournaledFile, JournalPage, ManifestFacts } from './ports.ts';

/** Files whose lines are in memory at the same time. */
const perPage = 1_000;

export const manifestName = (transferId: string): string => `longshore-manifest-${transferId}.json`;

function lineOf({ file, target, object }: JournaledFile, folder: string): string {
  const { kind, path, size, chunkSize, digest, modified } = file;
  const below = (target ?? '').slice(folder.length + 1);
  return JSON.stringify({
    kind,
    path,
    target: below,
    name_changed: below !== path,
    ...(kind === 'file' && { size, chunk_size: chunkSize, digest: digest ?? '', etag: object?.etag ?? '', left_out: object?.id === '' }),
    last_modified: modified?.toISOString() ?? '',
  });
}

/**
 * The manifest's text (contract/transfers.md §5), made from the journal page by page whenever it is read, so that a million
 * files need no memory. All files are complete, so it is the same each time.
 */
export async function manifestContent(
  journal: Pick<DeliveryJournal, 'files'>,
  { transferId, packageId, packageName, portalName, createdAt }: ManifestFacts,
  folder: string,
): Promise<Content> {
  const facts = {
    format: 'longshore-transfer-manifest',
    version: 1,
    transfer_id: transferId,
    package_id: packageId,
    package_name: packageName,
    portal_name: portalName,
    created_at: createdAt.toISOString(),
    folder,
  };
  const head = Buffer.from(`${JSON.stringify(facts).slice(0, -1)},\n"files": [`);
  const tail = Buffer.from('\n]}\n');

  const page = (cursor: string | null): Promise<JournalPage> => journal.files({ state: 'complete', cursor, count: perPage });
  const textOf = ({ files }: JournalPage, isFirst: boolean): Buffer =>
    Buffer.from(files.map((file, index) => `${isFirst && index === 0 ? '' : ','}\n${lineOf(file, folder)}`).join(''));

  // Where each page begins, so that a part in the middle is not read from the beginning.
  const pages: { readonly cursor: string | null; readonly start: number; readonly isFirst: boolean }[] = [];
  let end = head.length;
  let isFirst = true;
  for (let cursor: string | null = null; ; ) {
    const files: JournalPage = await page(cursor);
    pages.push({ cursor, start: end, isFirst });
    end += textOf(files, isFirst).length;
    isFirst &&= files.files.length === 0;
    cursor = files.cursor;
    if (cursor === null) break;
  }

  async function* pieces(start: number): AsyncGenerator<{ readonly at: number; readonly bytes: Buffer }> {
    if (start < head.length) yield { at: 0, bytes: head };
    const from = Math.max(
      0,
      pages.findLastIndex((one) => one.start <= start),
    );
    for (const one of pages.slice(from)) yield { at: one.start, bytes: textOf(await page(one.cursor), one.isFirst) };
    yield { at: end, bytes: tail };
  }

  return {
    size: end + tail.length,
    async *read(start, until, signal) {
      for await (const { at, bytes } of pieces(start)) {
        signal.throwIfAborted();
        if (at >= until) return;
        const piece = bytes.subarray(Math.max(0, start - at), until - at);
        if (piece.length > 0) yield piece;
      }
    },
  };
}
