import {
  BoxApiError,
  type BoxItem,
  checkName,
  itemAt,
  type SeenRequest,
  sha1Of,
  storeFile,
  type UploadSession,
  type World,
} from './world.ts';

const base64Sha1 = (bytes: Buffer): string => Buffer.from(sha1Of(bytes), 'hex').toString('base64');

/** Begins a chunked upload, of a new file or of a new version. */
export function startSession(world: World, replaces: string | null, body: Readonly<Record<string, unknown>>): UploadSession {
  const { folder_id, file_name, file_size } = body;
  const size = Number(file_size);
  if (!Number.isSafeInteger(size)) throw new BoxApiError(400, 'bad_request');
  if (size < world.smallestSession) throw new BoxApiError(400, 'file_size_too_small');
  const old = replaces === null ? null : itemAt(world, replaces, 'file');
  const [folder, name] = old ? [old.parent, old.name] : [String(folder_id), String(file_name)];
  checkName(world, name, folder, replaces);
  const session = { id: world.newId(), folder, name, replaces, size, partSize: world.partSize, parts: new Map(), commits: 0 };
  world.sessions.set(session.id, session);
  return session;
}

export function putPart(session: UploadSession, { headers }: SeenRequest, bytes: Buffer, partId: string) {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'] ?? ''));
  if (!match || headers['content-type'] !== 'application/octet-stream') throw new BoxApiError(400, 'bad_request');
  const [offset, end, total] = match.slice(1).map(Number) as [number, number, number];
  const size = end - offset + 1;
  const expected = Math.min(session.partSize, session.size - offset);
  if (total !== session.size || offset % session.partSize !== 0 || size !== expected) throw new BoxApiError(400, 'invalid_part_size');
  if (bytes.length !== size) throw new BoxApiError(400, 'bad_request');
  if (headers['digest'] !== `sha=${base64Sha1(bytes)}`) throw new BoxApiError(412, 'bad_digest');
  if (session.parts.has(offset)) throw new BoxApiError(409, 'range_overlaps_existing_range');
  const part = { part_id: partId, offset, size, sha1: sha1Of(bytes), bytes };
  session.parts.set(offset, part);
  return describePart(part);
}

const describePart = ({ part_id, offset, size, sha1 }: { part_id: string; offset: number; size: number; sha1: string }) => ({
  part_id,
  offset,
  size,
  sha1,
});

const sorted = ({ parts }: UploadSession) => [...parts.values()].sort((one, other) => one.offset - other.offset);

export function listParts(session: UploadSession, query: URLSearchParams) {
  const [offset, limit] = [Number(query.get('offset') ?? 0), Math.min(Number(query.get('limit') ?? 1000), 1000)];
  return {
    entries: sorted(session)
      .slice(offset, offset + limit)
      .map(describePart),
    offset,
    limit,
    total_count: session.parts.size,
  };
}

/** The file, or null while Box puts it together. */
export function commit(
  world: World,
  session: UploadSession,
  { headers }: SeenRequest,
  body: Readonly<Record<string, unknown>>,
): BoxItem | null {
  const parts = sorted(session);
  const named = body['parts'] as readonly { part_id: string; offset: number; size: number; sha1: string }[] | undefined;
  const bytes = Buffer.concat(parts.map((part) => part.bytes));
  const same =
    named?.length === parts.length &&
    parts.every((part, index) => {
      const { part_id, offset, size, sha1 } = named[index]!;
      return part.part_id === part_id && part.offset === offset && part.size === size && part.sha1 === sha1;
    });
  if (!same || bytes.length !== session.size) throw new BoxApiError(400, 'parts_mismatch');
  if (headers['digest'] !== `sha=${base64Sha1(bytes)}`) throw new BoxApiError(412, 'bad_digest');
  checkName(world, session.name, session.folder, session.replaces);
  if (session.commits++ < world.waits) return null;
  const { content_modified_at } = (body['attributes'] ?? {}) as { content_modified_at?: string };
  const { name, folder: parent, replaces } = session;
  const file = storeFile(world, { name, parent, replaces, modified: content_modified_at ?? '' }, bytes);
  world.sessions.delete(session.id);
  return file;
}
