import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { File } from '#protocol/hosted/files.ts';
import type { CreateLink, Link } from '#protocol/hosted/links.ts';
import { newId } from '#service/ids.ts';
import { managing } from '#test/support/service/packages.ts';
import { newSender, openLink, type Sender, sampleTime } from '#test/support/service/sender.ts';
import type { TestService } from '#test/support/service/start-service.ts';

/** A finalized package and a link to it. */
export interface LinkedPackage {
  readonly sender: Sender;
  readonly link: Link;
  /** What the service lists of it, by path. */
  readonly files: ReadonlyMap<string, File>;
}

export interface LinkedOptions {
  readonly package?: Record<string, unknown>;
  readonly link?: Static<typeof CreateLink>;
  /** Instead of a package of the Team's own. */
  readonly sender?: Sender;
  /** Folders that hold nothing. */
  readonly folders?: readonly string[];
  /** Bytes of a chunk. */
  readonly chunkSize?: number;
}

const parts = (path: string): readonly [string, string] => {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? ['', path] : [path.slice(0, slash), path.slice(slash + 1)];
};

/** Sends what is given by path, finalizes it and makes a link. */
export async function linkedPackage(
  t: TestService,
  contents: Readonly<Record<string, Uint8Array | string>>,
  options: LinkedOptions = {},
): Promise<LinkedPackage> {
  const sender = options.sender ?? (await newSender(t, options.package));
  for (const [path, content] of Object.entries(contents)) {
    const bytes = Buffer.from(content);
    const { chunkSize } = options;
    if (chunkSize !== undefined && bytes.length > chunkSize) await sendInChunks(sender, path, bytes, chunkSize);
    else await sender.send(...parts(path), bytes);
  }
  for (const path of options.folders ?? []) {
    const [folder, name] = parts(path);
    await sender.create({ kind: 'directory', path: folder, name });
  }
  const finalized = await sender.finalize();
  if (finalized.status !== 204) throw new Error(`not finalized: ${JSON.stringify(finalized.body)}`);
  return linkTo(t, sender, options.link);
}

async function sendInChunks(sender: Sender, path: string, bytes: Buffer, chunkSize: number): Promise<void> {
  const upload = await sender.begin(...parts(path), { size: bytes.length, chunk_size: chunkSize });
  const etags: string[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize) etags.push(await upload.put(etags.length, bytes.subarray(at, at + chunkSize)));
  const finalized = await upload.finalize(etags, bytes.length, { chunk_size: chunkSize });
  if (finalized.status !== 204) throw new Error(`not finalized: ${JSON.stringify(finalized.body)}`);
}

/** Makes a link to a package, with the rights of its Team. */
export async function linkTo(t: TestService, sender: Sender, fields: Static<typeof CreateLink> = {}): Promise<LinkedPackage> {
  const headers = await managing(t, sender.package.id);
  const made = await t.call<Link>('POST', `/v1/packages/${sender.package.id}/links`, { headers, body: fields });
  if (made.status !== 201) throw new Error(`no link: ${JSON.stringify(made.body)}`);
  const opened = await openLink(t, made.body, fields.password);
  const read = { 'x-package-token': opened.body.package_token };
  const listed =
    opened.status === 200 ? (await t.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: read })).body : [];
  return { sender, link: made.body, files: new Map(listed.map((file) => [file.path ? `${file.path}/${file.name}` : file.name, file])) };
}

/** Puts files into a finalized package's list whose bytes are nowhere: for pages that only show them. */
export async function listFiles(t: TestService, packageId: string, paths: readonly string[], size = 1_000_000): Promise<void> {
  const { db, now } = t.service.services;
  const rows = paths.map((whole) => {
    const [path, name] = parts(whole);
    return {
      id: newId(),
      package_id: packageId,
      place: createHash('sha256').update(whole).digest(),
      kind: 'file' as const,
      path,
      name,
      last_modified: new Date(sampleTime),
      state: 'finalized' as const,
      size,
      chunk_size: 0,
      etag: null,
      digest: null,
      fingerprint: null,
      replaced_id: null,
      created_at: now(),
    };
  });
  for (let at = 0; at < rows.length; at += 1_000)
    await db
      .insertInto('files')
      .values(rows.slice(at, at + 1_000))
      .execute();
  await db
    .updateTable('packages')
    .set({ total_files: paths.length, size: paths.length * size })
    .where('id', '=', packageId)
    .execute();
}
