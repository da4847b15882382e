import { blake3 } from '@napi-rs/blake-hash';
import type { File } from '#protocol/hosted/files.ts';
import type { Link, LinkInfo } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { TestAnswer, TestService } from '#test/support/service/start-service.ts';

/** Plain HTTP calls of an upload, one by one as contract/files-and-blueprints.md §1 describes them. Nothing of the client is in it. */
export interface Sender {
  readonly package: Package;
  /** Headers with the package's management token. */
  readonly token: Readonly<Record<string, string>>;
  /** Asks to create a file, whatever the answer. */
  create(fields: Record<string, unknown>): Promise<TestAnswer<{ file: File; create_blueprint: Blueprint | null }>>;
  /** Creates a file and begins its upload. */
  begin(path: string, name: string, fields?: Record<string, unknown>): Promise<Upload>;
  /** The whole upload of one small file. */
  send(path: string, name: string, bytes: Uint8Array): Promise<Upload>;
  finalize(): Promise<TestAnswer<{ message: string }>>;
  links(): Promise<Link[]>;
}

export interface Upload {
  readonly file: File;
  readonly uploadId: string;
  blueprints(start: number, count: number): Promise<TestAnswer<Blueprint[]>>;
  /** Sends one chunk (zero-based) to the storage; gives the etag, quotes removed. */
  put(index: number, bytes: Uint8Array): Promise<string>;
  finalize(etags: readonly string[], size: number, extras?: Record<string, unknown>): Promise<TestAnswer<{ message: string }>>;
  remove(): Promise<TestAnswer<{ message: string }>>;
}

export const sampleTime = '2026-11-20T18:04:11.000Z';

/** The etag that local storage must answer for a chunk. */
export const etagFor = (bytes: Uint8Array): string => `b3-${blake3(Buffer.from(bytes)).toString('hex')}`;

/** Makes a package of the test service's Team and gives its sender. */
export async function newSender(
  service: Pick<TestService, 'call' | 'teamId' | 'apiKey'>,
  fields: Record<string, unknown> = {},
): Promise<Sender> {
  const made = await service.call<Package>('POST', `/v1/teams/${service.teamId}/packages`, {
    headers: { 'x-api-key': service.apiKey },
    body: { name: 'Dailies', description: '', recipients: [], ...fields },
  });
  if (made.status !== 201) throw new Error(`no package: ${JSON.stringify(made.body)}`);
  return senderOf(service, made.body, { 'x-package-token': made.body.access_token });
}

export function senderOf({ call }: Pick<TestService, 'call'>, made: Package, token: Readonly<Record<string, string>>): Sender {
  const base = `/v1/packages/${made.id}`;
  const sender: Sender = {
    package: made,
    token,
    create: (fields) =>
      call('POST', `${base}/files`, { headers: token, body: { kind: 'file', path: '', last_modified: sampleTime, ...fields } }),
    async begin(path, name, fields = {}) {
      const { status, body } = await sender.create({ path, name, ...fields });
      if (status !== 201 || !body.create_blueprint) throw new Error(`no file: ${status} ${JSON.stringify(body)}`);
      const { url, method, headers } = body.create_blueprint;
      const xml = await (await fetch(url, { method, headers })).text();
      const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(xml)?.[1];
      if (!uploadId) throw new Error(`no UploadId: ${xml}`);
      const at = `${base}/files/${body.file.id}`;
      const upload: Upload = {
        file: body.file,
        uploadId,
        blueprints: (start, count) =>
          call('POST', `${at}?start=${start}&count=${count}`, { headers: token, body: { upload_id: uploadId } }),
        async put(index, bytes) {
          const [blueprint] = (await upload.blueprints(index, 1)).body;
          const answer = await fetch(blueprint!.url, { method: blueprint!.method, headers: blueprint!.headers, body: Buffer.from(bytes) });
          if (answer.status !== 200) throw new Error(`PUT: ${answer.status} ${await answer.text()}`);
          return answer.headers.get('etag')!.replaceAll('"', '');
        },
        finalize: (etags, size, extras = {}) =>
          call('POST', `${at}/finalize`, {
            headers: token,
            body: {
              chunk_extras: etags.map((etag, index) => ({ part_number: String(index + 1), etag })),
              file_extras: { upload_id: uploadId, ...extras },
              size,
              chunk_size: body.file.chunk_size,
            },
          }),
        remove: () => call('DELETE', at, { headers: token }),
      };
      return upload;
    },
    async send(path, name, bytes) {
      const upload = await sender.begin(path, name, { size: bytes.length });
      const etag = await upload.put(0, bytes);
      const done = await upload.finalize([etag], bytes.length);
      if (done.status !== 204) throw new Error(`not finalized: ${JSON.stringify(done.body)}`);
      return upload;
    },
    finalize: () => call('POST', `${base}/finalize`, { headers: token }),
    links: async () => (await call<Link[]>('GET', `${base}/links`, { headers: token })).body,
  };
  return sender;
}

/** Opens a link as its recipient would. */
export function openLink(
  { call }: Pick<TestService, 'call'>,
  link: Pick<Link, 'id' | 'download_secret'>,
  password?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer<LinkInfo>> {
  return call('GET', `/v1/links/${link.id}?secret=${encodeURIComponent(link.download_secret)}`, {
    headers: password === undefined ? headers : { ...headers, 'x-link-password': password },
  });
}
