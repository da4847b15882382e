import type { ReceiptClaims, ReceiptEntry } from '#protocol/receipt.ts';

/** A receipt's claims and its first files (docs/decisions/0019). The agent has verified the signature. */
interface ReceiptHead {
  readonly claims: ReceiptClaims;
  readonly first: readonly ReceiptEntry[];
}

const shownFiles = 100;
/** Maximum characters of a line: each line has at most one path. */
const longestLine = 256 * 1024;

/** Reads only the part of a receipt that is shown: the whole may have a million lines. */
export async function readReceiptHead(body: ReadableStream<Uint8Array>): Promise<ReceiptHead> {
  const [head = '', ...lines] = await firstLines(body, shownFiles + 1);
  const { receipt } = JSON.parse(head) as { receipt: string };
  const entries = lines.map((line) => JSON.parse(line) as ReceiptEntry);
  return { claims: claimsOf(receipt), first: entries.filter(({ kind }) => kind === 'file') };
}

/** The payload of a JWS: its second part is the signed JSON as base64url. */
function claimsOf(jws: string): ReceiptClaims {
  const payload = (jws.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as ReceiptClaims;
}

async function firstLines(body: ReadableStream<Uint8Array>, count: number): Promise<string[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines: string[] = [];
  let rest = '';
  try {
    while (lines.length < count && rest.length <= longestLine) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = parts.pop()!;
      lines.push(...parts);
    }
    return lines.slice(0, count);
  } finally {
    await reader.cancel();
  }
}
