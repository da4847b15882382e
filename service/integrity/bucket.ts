import type { ObjectStorage } from '#storage/ports.ts';

/** A storage that lists its objects, as every bucket does. */
export type Bucket = ObjectStorage & Required<Pick<ObjectStorage, 'list' | 'listUploads'>>;

export const isBucket = (storage: ObjectStorage): storage is Bucket => storage.list !== undefined && storage.listUploads !== undefined;
