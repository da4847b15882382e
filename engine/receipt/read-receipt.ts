import { createHash } from 'node:crypto';
import { Compile } from 'typebox/compile';
import { AgentError, type ApiError } from '#protocol/errors.ts';
import { entryFault, withoutBidiControls } from '#protocol/names.ts';
import { type ReceiptClaims, ReceiptEntry } from '#protocol/receipt.ts';
import '../date-times.ts';
import { checkSignature, type Keys } from './check-signature.ts';

/** A receipt's bytes, in pieces of any size. */
export type Pieces = AsyncIterable<Uint8Array>;

/** Characters. The longest possible path, with each character escaped, has about half of this. */
const longestLine = 64 * 1024;

const isEntry = Compile(ReceiptEntry);

export interface CheckedReceipt {
  readonly claims: ReceiptClaims;
  /** Thumbprint of the key that signed it. */
  readonly keyId: string;
}

/**
 * Reads and checks a receipt (docs/decisions/0019). `receipt_invalid`: it is no receipt, none of the keys has signed it,
 * or a line has been changed. `visit` gets some entries at a time, before the signature is verified: only the end of the
 * receipt shows whether it is valid.
 */
export async function readReceipt(
  pieces: Pieces,
  keys: Keys,
  visit: (entries: readonly ReceiptEntry[], claims: ReceiptClaims) => void | Promise<void> = () => {},
): Promise<CheckedReceipt> {
  const hash = createHash('sha256');
  let checked: CheckedReceipt | null = null;
  const found = { files: 0, directories: 0, bytes: 0 };
  for await (const lines of linesOf(pieces, (bytes) => hash.update(bytes))) {
    checked ??= await checkSignature(jwsOf(lines.shift()!), keys);
    const entries = lines.map(entryOf);
    for (const { kind, size = 0 } of entries) {
      found[kind === 'file' ? 'files' : 'directories']++;
      found.bytes += size;
    }
    if (entries.length > 0) await visit(entries, checked.claims);
  }
  if (!checked) throw invalid('it is empty.');
  const { claims } = checked;
  if (`sha256:${hash.digest('hex')}` !== claims.manifest) {
    throw invalid('its list of files was changed or cut off since it was signed. Fetch it again.');
  }
  if (found.files !== claims.files || found.directories !== claims.directories || found.bytes !== claims.bytes) {
    throw invalid('it holds another number of files than it says.');
  }
  return checked;
}

/** The lines of a receipt, some at a time. `covered` is called with all bytes after the first line. */
async function* linesOf(pieces: Pieces, covered: (bytes: Uint8Array) => void): AsyncGenerator<string[]> {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let headRead = false;
  let rest = '';
  for await (const piece of pieces) {
    if (headRead) covered(piece);
    else {
      const end = piece.indexOf(10);
      headRead = end >= 0;
      if (headRead) covered(piece.subarray(end + 1));
    }
    try {
      rest += text.decode(piece, { stream: true });
    } catch {
      throw invalid('it is not UTF-8 text.');
    }
    const lines = rest.split('\n');
    rest = lines.pop()!;
    if (rest.length > longestLine || lines.some((line) => line.length > longestLine)) throw invalid('one of its lines is too long.');
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') throw invalid('it ends in the middle of a line. Fetch it again.');
}

function jwsOf(line: string): string {
  const head = parsed(line) as { receipt?: unknown } | null;
  if (typeof head?.receipt !== 'string') throw invalid('its first line is not that of a receipt.');
  return head.receipt;
}

function entryOf(line: string): ReceiptEntry {
  const entry = parsed(line);
  if (!isEntry.Check(entry)) throw invalid('one of its lines describes no file.');
  const path = receivedPath(entry);
  const slash = path.lastIndexOf('/');
  const fault = entryFault(slash < 0 ? '' : path.slice(0, slash), path.slice(slash + 1));
  if (fault) throw invalid(`it names a file that no package can hold: ${fault}`);
  return entry;
}

/** Its path in a download: names in older packages may contain characters that a download replaces. */
export const receivedPath = ({ path }: Pick<ReceiptEntry, 'path'>): string => withoutBidiControls(path);

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw invalid('one of its lines is not JSON.');
  }
}

export const invalid = (detail: string): ApiError => new AgentError('receipt_invalid', { detail });
