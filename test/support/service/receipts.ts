import { createHash } from 'node:crypto';
import { chunkCount, chunkSlice, digestOfChunks } from '#client/chunks.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { type ReceiptClaims, type ReceiptEntry, receiptHead, receiptLine, type ServiceKey } from '#protocol/receipt.ts';
import { createReceiptSigner } from '#service/receipts/signer.ts';
import { sampleTime } from '#test/support/service/sender.ts';
import type { Tree } from '#test/support/system/file-tree.ts';

export interface TestReceipt {
  readonly text: string;
  readonly entries: readonly ReceiptEntry[];
  /** As a service publishes them. */
  readonly keys: { readonly keys: readonly ServiceKey[] };
}

/** The entries that a package of this tree has. */
export async function entriesOfTree(tree: Tree, chunkSize: number): Promise<ReceiptEntry[]> {
  const entries: ReceiptEntry[] = [];
  for (const [path, content] of Object.entries(tree)) {
    if (content === null) {
      entries.push({ kind: 'directory', path, last_modified: sampleTime });
      continue;
    }
    const bytes = Buffer.from(content);
    const chunks = Array.from({ length: chunkCount(bytes.length, chunkSize) }, (_, index) => {
      const { offset, length } = chunkSlice(index, bytes.length, chunkSize);
      return blake3Hex(bytes.subarray(offset, offset + length));
    });
    const digest = await digestOfChunks(blake3Hex, chunks);
    entries.push({ kind: 'file', path, size: bytes.length, last_modified: sampleTime, chunk_size: chunkSize, digest });
  }
  return entries;
}

/** A receipt of these entries, signed by a service of its own. `claims` overrides what it says of itself. */
export async function signedReceipt(entries: readonly ReceiptEntry[], claims: Partial<ReceiptClaims> = {}): Promise<TestReceipt> {
  const signer = await createReceiptSigner(Buffer.alloc(32, 1));
  const lines = entries.map(receiptLine).join('');
  const jws = await signer.sign({
    iss: 'https://files.example.com',
    iat: 1_795_000_000,
    package_id: 'p',
    package_name: 'Day 12',
    files: entries.filter(({ kind }) => kind === 'file').length,
    directories: entries.filter(({ kind }) => kind === 'directory').length,
    bytes: entries.reduce((sum, { size = 0 }) => sum + size, 0),
    manifest: `sha256:${createHash('sha256').update(lines).digest('hex')}`,
    ...claims,
  });
  return { text: receiptHead(jws) + lines, entries, keys: { keys: [signer.key] } };
}
