/**
 * Keys of packed objects. Small objects that arrive together are stored as one file, a segment; the key of each says
 * where in it its bytes are: `<segment>.<offset>.<length>`. So no index is needed to find them.
 */

/** Where a packed object's bytes are. `segment` has 32 hex digits; `offset` and `length` are in bytes. */
export interface PackedPlace {
  readonly segment: string;
  readonly offset: number;
  readonly length: number;
}

const pattern = /^([0-9a-f]{32})\.(0|[1-9]\d{0,11})\.(0|[1-9]\d{0,8})$/;

export const packedKey = ({ segment, offset, length }: PackedPlace): string => `${segment}.${offset}.${length}`;

/** `null` for a key of any other kind. */
export function parsePackedKey(key: string): PackedPlace | null {
  const match = pattern.exec(key);
  return match && { segment: match[1]!, offset: Number(match[2]), length: Number(match[3]) };
}
