import type { Selectable } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/** The columns that name a file's object. */
export type ObjectKeyRow = Pick<Selectable<Database['files']>, 'id' | 'object_key'>;

/** A file's key at the storage: its id, unless its bytes lie in one object with those of others (contract/storage.md §1). */
export const objectKeyOf = ({ id, object_key }: ObjectKeyRow): string => object_key ?? id;
