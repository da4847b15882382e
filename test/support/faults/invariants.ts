import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { objectDigest } from '#storage/digests.ts';
import { partsOfSegment } from '#storage/local/segments/segment-file.ts';
import type { TestService } from '../service/start-service.ts';
import { readTree } from '../system/file-tree.ts';
import { type Passage, repeated } from './proxy/traffic.ts';

/** What of a service the check after a scenario asks. */
export type InspectedService = Pick<TestService, 'call' | 'teamId' | 'apiKey' | 'dataDir'>;

export interface FinishedScenario {
  readonly service: InspectedService;
  /** The upload, as it ended. */
  readonly sent: Pick<AgentTransfer, 'package_id' | 'name'>;
  /** The folder that was sent, and where what was sent of it has been received. */
  readonly source: string;
  readonly received?: string;
  /** What passed the storage's proxy meanwhile. */
  readonly passages: readonly Passage[];
}

/**
 * What must hold after every scenario: what was received is what was sent and nothing else, half of a file
 * included; the package has each file once, whole; no chunk that the storage has confirmed was sent again; and the
 * storage has no upload and no object that no file owns.
 */
export async function checkInvariants({ service, sent, source, received, passages }: FinishedScenario): Promise<void> {
  const tree = readTree(source);
  if (received !== undefined) expect(readTree(received)).toEqual(tree);
  const files = await filesOf(service, sent.package_id, sent.name);
  const places = files.map(({ path, name }) => `${path}/${name}`.replace(/^[^/]*\//, '')).sort();
  expect(places).toEqual(Object.keys(tree).sort());
  expect(files.filter(({ state }) => state !== 'finalized')).toEqual([]);
  expect(repeated(passages, 'PUT')).toEqual([]);
  await checkStorageInvariants(service);
}

/** The storage holds nothing that belongs to no file, and each segment with completed objects is whole. */
export async function checkStorageInvariants(service: InspectedService): Promise<void> {
  const folder = join(service.dataDir, 'objects');
  const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path) : []);
  const shardsOf = (name: string): string[] => namesIn(join(folder, name)).map((shard) => join(folder, name, shard));
  const inShards = (name: string): string[] => shardsOf(name).flatMap(namesIn);
  const keyOf = (name: string): string => name.split('@')[0]!;
  const held = { uploads: inShards('uploads'), objects: inShards('objects'), completing: namesIn(join(folder, 'completing')) };
  const states = new Map<string, File['state']>();
  /** Files that were recorded once their bytes were there: the storage knows only their package. */
  const recorded = new Set<string>();
  for (const one of await packagesOf(service)) {
    for (const { id, state, digest } of await listed(service, one)) {
      states.set(id, state);
      recorded.add(`${one.id} ${digest}`);
    }
  }
  const stored = shardsOf('segments/stored').flatMap((shard) => namesIn(shard).map((name) => ({ name, path: join(shard, name) })));
  const segments = stored.map(({ name, path }) => ({ name, parts: partsOfSegment(nodeFileSystem, path, name) }));
  expect(segments.filter(({ parts }) => parts === null)).toEqual([]);
  const ownerless = {
    uploads: held.uploads.filter((name) => states.get(keyOf(name)) !== 'new'),
    objects: held.objects.filter((name) => !states.has(keyOf(name))),
    completing: held.completing,
    segments: segments.filter(
      ({ parts }) => !parts!.some(({ key, hex }) => states.has(key) || recorded.has(`${key} ${objectDigest([hex])}`)),
    ),
    trash: namesIn(join(folder, 'trash')),
  };
  expect(ownerless).toEqual({ uploads: [], objects: [], completing: [], segments: [], trash: [] });
}

/** The files and folders of a package, which is the only one of its name. */
export async function filesOf(service: InspectedService, packageId: string, name: string): Promise<File[]> {
  const found = await packagesOf(service, name);
  expect(found.map(({ id }) => id)).toEqual([packageId]);
  return listed(service, found[0]!);
}

type Listed = Pick<Package, 'id' | 'name' | 'access_token'>;

/** Those of this very name, or all. */
export async function packagesOf({ call, teamId, apiKey }: InspectedService, name?: string): Promise<Listed[]> {
  const all: Listed[] = [];
  const fields = { status: 'new', ...(name === undefined ? {} : { name }) };
  for (let page = 1; ; page++) {
    const query = new URLSearchParams([...Object.entries(fields), ['status', 'finalized'], ['page', String(page)]]);
    const { body } = await call<{ records: Listed[]; total: number }>('GET', `/v1.1/teams/${teamId}/packages?${query}`, {
      headers: { 'x-api-key': apiKey },
    });
    all.push(...body.records);
    if (body.records.length === 0 || all.length >= body.total) return all.filter((one) => name === undefined || one.name === name);
  }
}

async function listed({ call }: InspectedService, { id, access_token }: Listed): Promise<File[]> {
  const { body } = await call<File[]>('GET', `/v1/packages/${id}/files`, { headers: { 'x-package-token': access_token } });
  return body.filter(({ kind }) => kind === 'file' || kind === 'directory');
}
