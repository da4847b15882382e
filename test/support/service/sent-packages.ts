import { buffer } from 'node:stream/consumers';
import { objectKeyOf } from '#service/files/object-key.ts';
import { sha256 } from '../system/file-tree.ts';
import type { TestService } from './start-service.ts';

export interface SentPackages {
  /** Of the packages, each once, sorted. */
  readonly states: readonly string[];
  readonly names: readonly string[];
  /** Without folders, by path; the digest is that of the bytes that the storage holds. */
  readonly files: readonly { readonly packageId: string; readonly path: string; readonly sha256: string }[];
}

/** Everything that the service holds in packages whose name begins so, but for those that are deleted. */
export async function packagesNamed({ service }: TestService, prefix: string): Promise<SentPackages> {
  const { db, storage } = service.services;
  const packages = await db
    .selectFrom('packages')
    .select(['id', 'name', 'state'])
    .where('name', 'like', `${prefix}%`)
    .where('state', 'in', ['new', 'finalized'])
    .execute();
  const rows =
    packages.length === 0
      ? []
      : await db
          .selectFrom('files')
          .select(['id', 'object_key', 'package_id', 'path', 'name', 'size'])
          .where('kind', '=', 'file')
          .where(
            'package_id',
            'in',
            packages.map(({ id }) => id),
          )
          .orderBy('path')
          .orderBy('name')
          .execute();
  const files = [];
  for (const { id, object_key, package_id, path, name, size } of rows) {
    const bytes = Number(size) === 0 ? Buffer.alloc(0) : await buffer(await storage.read(objectKeyOf({ id, object_key })));
    files.push({ packageId: package_id, path: path === '' ? name : `${path}/${name}`, sha256: sha256(bytes) });
  }
  return {
    states: [...new Set(packages.map(({ state }) => state))].toSorted(),
    names: packages.map(({ name }) => name).toSorted(),
    files,
  };
}
