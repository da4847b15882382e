import { childOf, childrenOf, readXml, textOf } from '../http/xml.ts';

/**
 * A block's id: marker, upload, number. All are of one length, since Azure refuses a block whose id has another length
 * than those of the blob's unfinished ones. The marker tells Longshore's blocks from those of other programs.
 */
const marker = Buffer.from('Lshp');
const uploadBytes = 10;
const idBytes = marker.length + uploadBytes + 4;

/** Hex digits that name an upload. */
export const uploadNameLength = 2 * uploadBytes;

export function blockId(upload: string, number: number): string {
  const id = Buffer.alloc(idBytes);
  marker.copy(id);
  id.write(upload, marker.length, 'hex');
  id.writeUInt32BE(number, marker.length + uploadBytes);
  return id.toString('base64');
}

export interface Block {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
}

/** Whether Longshore has sent it, for this upload or another one of the same path. */
export const isOurs = ({ id }: Block): boolean => {
  const bytes = Buffer.from(id, 'base64');
  return bytes.length === idBytes && bytes.subarray(0, marker.length).equals(marker);
};

/** Whether it keeps ours from being stored. */
export const hasOtherLength = ({ id }: Block): boolean => Buffer.from(id, 'base64').length !== idBytes;

/** The body that makes a blob of its blocks. */
export const blockList = (ids: readonly string[]): string =>
  `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;

/** The unfinished blocks in an answer to Get Block List. */
export function readUncommitted(bytes: Buffer): readonly Block[] {
  const blocks = childrenOf(childOf(readXml(bytes, 'BlockList'), 'UncommittedBlocks'), 'Block');
  return blocks.map((block) => ({ id: textOf(childOf(block, 'Name')), size: Number(textOf(childOf(block, 'Size'))) }));
}
