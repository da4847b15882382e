import { randomUUID } from 'node:crypto';
import { checkBody, type Route, uuidIn } from './routes.ts';
import { type Asset, type Collection, IconikApiError, type World } from './world.ts';

const resourceOfCollection = ({ id, title, parent, status, made }: Collection) => ({
  id,
  title,
  parent_id: parent,
  is_root: parent === null,
  status,
  date_created: made,
  object_type: 'collections',
});

const resourceOfAsset = ({ id, title, externalId, collections, status, made }: Asset) => ({
  id,
  title,
  type: 'ASSET',
  external_id: externalId,
  status,
  date_created: made,
  in_collections: [...collections],
  object_type: 'assets',
});

export const assetAt = (world: World, id: string): Asset => {
  const asset = world.assets.get(id);
  if (!asset) throw new IconikApiError(404, 'Asset does not exist');
  return asset;
};

const collectionAt = (world: World, id: string): Collection => {
  const collection = world.collections.get(id);
  if (collection?.status !== 'ACTIVE') throw new IconikApiError(404, 'Collection does not exist');
  return collection;
};

function paged(query: URLSearchParams, objects: readonly Record<string, unknown>[]): Record<string, unknown> {
  const size = Number(query.get('per_page') ?? '10');
  const page = Number(query.get('page') ?? '1');
  if (!(size >= 1 && size <= 100) || !(page >= 1)) throw new IconikApiError(400, 'per_page: Must be between 1 and 100.');
  const pages = Math.max(Math.ceil(objects.length / size), 1);
  if (page > pages) throw new IconikApiError(404, 'Requested page does not exist');
  return { objects: objects.slice((page - 1) * size, page * size), page, pages, per_page: size, total: objects.length };
}

/** Collections, assets and the search. */
export const assetRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/assets\/v1\/collections\/$/,
    role: 'can_read_collections',
    answer: ({ world, query }) => {
      const roots = query.get('is_root') === 'true';
      const shown = [...world.collections.values()].filter(({ parent }) => !roots || parent === null);
      return [200, paged(query, shown.map(resourceOfCollection))];
    },
  },
  {
    method: 'POST',
    path: /^\/assets\/v1\/collections\/$/,
    role: 'can_create_collections',
    answer: ({ world, body }) => {
      checkBody(body, ['title'], ['parent_id', 'external_id', 'is_root', 'status', 'storage_id', 'category']);
      const parent = body['parent_id'] === undefined ? null : uuidIn(body, 'parent_id');
      if (parent !== null) collectionAt(world, parent);
      const collection: Collection = {
        id: randomUUID(),
        title: String(body['title']),
        parent,
        made: world.now().toISOString(),
        status: 'ACTIVE',
      };
      world.collections.set(collection.id, collection);
      return [201, resourceOfCollection(collection)];
    },
  },
  {
    method: 'GET',
    path: /^\/assets\/v1\/collections\/([^/]+)\/contents\/$/,
    role: 'can_read_collections',
    answer: ({ world, ids: [id], query }) => {
      collectionAt(world, id!);
      const types = (query.get('object_types') ?? 'assets,collections').split(',');
      const objects = [
        ...[...world.collections.values()].filter(({ parent }) => parent === id).map(resourceOfCollection),
        ...[...world.assets.values()].filter(({ collections }) => collections.has(id!)).map(resourceOfAsset),
      ];
      return [
        200,
        paged(
          query,
          objects.filter(({ object_type }) => types.includes(object_type)),
        ),
      ];
    },
  },
  {
    method: 'DELETE',
    path: /^\/assets\/v1\/collections\/([^/]+)\/$/,
    role: 'can_delete_collections',
    answer: ({ world, ids: [id] }) => {
      collectionAt(world, id!).status = 'DELETED';
      return [202, { job_id: randomUUID() }];
    },
  },
  {
    method: 'POST',
    path: /^\/assets\/v1\/assets\/$/,
    role: 'can_create_assets',
    answer: ({ world, body, query }) => {
      checkBody(body, ['title'], ['type', 'external_id', 'external_link', 'collection_id', 'status', 'category', 'warning']);
      const collection = body['collection_id'] === undefined ? null : uuidIn(body, 'collection_id');
      if (collection !== null) collectionAt(world, collection);
      const assigned = collection !== null && query.get('assign_to_collection') === 'true';
      const asset: Asset = {
        id: randomUUID(),
        title: String(body['title']),
        externalId: body['external_id'] === undefined ? null : String(body['external_id']),
        collections: new Set(assigned ? [collection] : []),
        made: world.now().toISOString(),
        status: 'ACTIVE',
      };
      world.assets.set(asset.id, asset);
      return [201, resourceOfAsset(asset)];
    },
  },
  {
    method: 'GET',
    path: /^\/assets\/v1\/assets\/([^/]+)\/$/,
    role: 'can_read_assets',
    answer: ({ world, ids: [id] }) => [200, resourceOfAsset(assetAt(world, id!))],
  },
  {
    method: 'DELETE',
    path: /^\/assets\/v1\/assets\/([^/]+)\/$/,
    role: 'can_delete_assets',
    answer: ({ world, ids: [id] }) => {
      const asset = assetAt(world, id!);
      if (asset.status === 'DELETED') throw new IconikApiError(404, 'Asset does not exist');
      asset.status = 'DELETED';
      return [204, null];
    },
  },
  {
    method: 'DELETE',
    path: /^\/assets\/v1\/assets\/([^/]+)\/uploads\/$/,
    role: 'can_create_assets',
    answer: ({ world, ids: [id] }) => {
      const { id: asset } = assetAt(world, id!);
      const files = [...world.files.values()].filter((file) => file.asset === asset);
      if (files.some(({ status }) => status === 'CLOSED')) throw new IconikApiError(400, 'The upload has not failed');
      // Only deleting a file set removes bytes.
      for (const file of files) world.files.delete(file.id);
      world.assets.delete(asset);
      return [204, null];
    },
  },
  {
    method: 'POST',
    path: /^\/search\/v1\/search\/$/,
    role: 'can_search',
    answer: ({ world, body, query }) => {
      checkBody(body, ['doc_types', 'filter'], ['query', 'include_fields', 'exclude_fields', 'sort']);
      const { operator, terms } = body['filter'] as { operator?: string; terms?: { name?: string; value?: string }[] };
      if (operator !== 'AND' && operator !== 'OR') throw new IconikApiError(400, 'operator: Missing data for required field.');
      const [term] = terms ?? [];
      if (term?.name !== 'external_id') throw new IconikApiError(400, 'Only external_id can be searched for here.');
      return [
        200,
        paged(
          query,
          [...world.assets.values()].filter(({ externalId }) => world.searchKnows && externalId === term.value).map(resourceOfAsset),
        ),
      ];
    },
  },
];
