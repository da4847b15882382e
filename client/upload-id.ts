import { TransferError } from './errors.ts';

const longest = 64 * 1024;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * The `UploadId` in a storage's answer to a create blueprint. Accepts only one plain element of that name: a document
 * type, a CDATA section, or two ids are `wrong_answer`.
 */
export function parseUploadId(xml: string): string {
  if (xml.length > longest) throw wrong('it is too long');
  if (/<!/.test(xml)) throw wrong('it holds a declaration');
  if (!/<(?:\w+:)?InitiateMultipartUploadResult[\s>]/.test(xml)) throw wrong('it does not begin an upload');
  const ids = [...xml.matchAll(/<((?:\w+:)?UploadId)>([^<>]{1,4096})<\/\1>/g)];
  if (ids.length !== 1) throw wrong(ids.length === 0 ? 'it has no UploadId' : 'it has more than one UploadId');
  const id = ids[0]![2]!.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w+);/g, (whole, name: string) => character(name) ?? whole).trim();
  if (id.length === 0) throw wrong('its UploadId is empty');
  return id;
}

function character(name: string): string | undefined {
  if (!name.startsWith('#')) return entities[name];
  const point = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

function wrong(what: string): TransferError {
  return new TransferError('wrong_answer', `The storage began an upload with an answer that cannot be read: ${what}.`);
}
