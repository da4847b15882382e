import pLimit from 'p-limit';
import type { CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Link } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { Call } from './drive.ts';
import type { Seeded } from './seed.ts';

/** A service as the bench finds it. */
export interface Target {
  readonly url: string;
  readonly teamId: string;
  readonly owner: { readonly email: string; readonly password: string };
  /** A user token of a member of 3 of the 20 Teamspaces, who sees about 15 of 100 packages. */
  readonly memberToken: string;
  readonly seeded: Seeded;
}

interface Measured {
  readonly name: string;
  readonly call: (n: number) => Call;
}

const json = 'application/json';
const MiB = 2 ** 20;

async function ask<T>(url: string, method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<T> {
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': json }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path.split('?')[0]} answered ${answer.status}: ${text.slice(0, 300)}`);
  return (text === '' ? null : JSON.parse(text)) as T;
}

/** An API key of the owner. */
export async function keyFor({ url, teamId, owner }: Target): Promise<string> {
  const { token } = await ask<{ token: string }>(url, 'POST', '/v1/auth', {}, { email: owner.email, password: owner.password });
  const key = await ask<CreatedApiKey>(
    url,
    'POST',
    `/v1/teams/${teamId}/api_keys`,
    { 'x-user-token': token },
    { name: 'Bench', state: 'active' },
  );
  return key.key;
}

/** The calls of an upload and a download that are made most, ready to be sent `requests` times. */
export async function uploadCalls({ url, teamId }: Target, apiKey: string, requests: number): Promise<Measured[]> {
  const team = { 'x-api-key': apiKey };
  const newPackage = (recipients: string[]) =>
    ask<Package>(url, 'POST', `/v1/teams/${teamId}/packages`, team, { name: 'Bench', description: '', recipients });
  const made = await newPackage([]);
  const token = { 'x-package-token': made.access_token };
  const at = `/v1/packages/${made.id}/files`;
  const file = (name: string, size: number) => ({ kind: 'file', path: '', name, size, last_modified: '2026-11-20T18:04:11.000Z' });
  const begin = async (name: string, size: number) => {
    const created = await ask<{ file: File; create_blueprint: Blueprint }>(url, 'POST', at, token, file(name, size));
    const xml = await (await fetch(created.create_blueprint.url, { method: created.create_blueprint.method })).text();
    return { id: created.file.id, uploadId: /<UploadId>([^<]+)/.exec(xml)![1]! };
  };

  const large = await begin('large', 100 * 100 * MiB);
  const blueprints = (more: string): Call => ({
    method: 'POST',
    path: `${at}/${large.id}?start=0&count=100${more}`,
    headers: token,
    body: { upload_id: large.uploadId },
  });
  const sent = await pLimit(8).map(Array.from({ length: requests }), async (_, n) => {
    const { id, uploadId } = await begin(`sent ${n}`, 1);
    const [blueprint] = await ask<Blueprint[]>(url, 'POST', `${at}/${id}?start=0&count=1`, token, { upload_id: uploadId });
    const put = await fetch(blueprint!.url, { method: blueprint!.method, body: 'x' });
    return { id, uploadId, etag: put.headers.get('etag')!.replaceAll('"', '') };
  });
  const shared = await newPackage(['post@example.com']);
  const sharedToken = { 'x-package-token': shared.access_token };
  await ask(url, 'POST', `/v1/packages/${shared.id}/finalize`, sharedToken);
  const [link] = await ask<Link[]>(url, 'GET', `/v1/packages/${shared.id}/links`, sharedToken);

  return [
    { name: 'create file', call: (n) => ({ method: 'POST', path: at, headers: token, body: file(`new ${n}`, 1) }) },
    { name: 'blueprints, 100 by a template', call: () => blueprints('&template=true') },
    { name: 'blueprints, 100 one by one', call: () => blueprints('') },
    {
      name: 'finalize file',
      call(n) {
        const { id, uploadId, etag } = sent[n]!;
        const body = { chunk_extras: [{ part_number: '1', etag }], file_extras: { upload_id: uploadId }, size: 1 };
        return { method: 'POST', path: `${at}/${id}/finalize`, headers: token, body };
      },
    },
    { name: 'link info', call: () => ({ method: 'GET', path: `/v1/links/${link!.id}?secret=${link!.download_secret}` }) },
  ];
}

/** What is asked of the list of a Team's packages; each is asked for its page 1 and its page 1,000. */
export const listQueries = ({ seeded }: Pick<Target, 'seeded'>): readonly (readonly [string, string])[] => [
  ['newest first', ''],
  ['sort=name', 'sort=name'],
  ['sort=-size', 'sort=-size'],
  ['sort=expiry', 'sort=expiry'],
  ['sort=-sender', 'sort=-sender'],
  ['sort=status', 'sort=status'],
  ['sort=teamspace_id', 'sort=teamspace_id'],
  ['sort=usage_total_bytes', 'sort=usage_total_bytes'],
  ['all states', 'status=new,finalized,expired,archived'],
  ['status=archived', 'status=archived'],
  ['name, of many', 'name=Dailies'],
  ['name, of one', 'name=(777)'],
  ['sender', `sender=${seeded.sender}`],
  ['tags, of many', `tags=${seeded.commonTag}`],
  ['tags, of few', `tags=${seeded.rareTag}`],
  ['teamspaces', `teamspaces=${seeded.teamspace}`],
  ['created in a month', 'created_at_start=2025-03-01&created_at_end=2025-03-31'],
  ['expires in a month', 'expiry_start=2035-03-01&expiry_end=2035-03-31'],
  ['extra_storage=true', 'extra_storage=true'],
  ['extra_storage=false', 'extra_storage=false'],
  ['sent, as the console asks', 'status=finalized&received=false'],
  ['received, as the console asks', 'status=finalized&received=true'],
  ['received, by size', 'status=finalized&received=true&sort=-size'],
  ['through a Portal', `status=finalized&portals=${seeded.portal}`],
  ['a Portal and a tag of few', `status=finalized&portals=${seeded.portal}&tags=${seeded.rareTag}`],
  ['larger than 999 GB', 'status=finalized&size_min=999000000000'],
  ['larger than 999 GB, by size', 'status=finalized&size_min=999000000000&sort=-size'],
  ['finalized in a month', 'status=finalized&finalized_at_start=2025-03-01&finalized_at_end=2025-03-31'],
  ['created in a year, by name', 'created_at_start=2025-01-01&created_at_end=2025-12-31&sort=name'],
];

/** The same lists for a member who sees only some packages. */
export const memberQueries = ({ seeded }: Pick<Target, 'seeded'>): readonly (readonly [string, string])[] => [
  ["a member's, newest first", ''],
  ["a member's, sort=name", 'sort=name'],
  ["a member's, sort=-size", 'sort=-size'],
  ["a member's, status=archived", 'status=archived'],
  ["a member's, tags, of many", `tags=${seeded.commonTag}`],
  ["a member's, created in a month", 'created_at_start=2025-03-01&created_at_end=2025-03-31'],
  ["a member's, extra_storage=true", 'extra_storage=true'],
];
