import { parsePackedKey } from '#storage/packed-key.ts';
import type { ListedObject as FoundObject, ObjectStorage } from '#storage/ports.ts';
import type { ListedItem, ListedObject } from '../backup/object-list.ts';
import { type Fault, judgeRow } from '../backup/row-facts.ts';
import { requireOwnBucket } from '../objects-bucket.ts';
import type { Bucket } from './bucket.ts';
import { bucketListing } from './bucket-listing.ts';
import { freeInBucket, unneededInBucket } from './bucket-orphans.ts';
import type { CheckedStorage } from './checked-storage.ts';
import { openDatabaseJournal } from './database-journal.ts';
import { itemKey, segmentKey } from './item-key.ts';
import { damagedKeys } from './kept-findings.ts';
import { createPace } from './pace.ts';
import { verifyBytes } from './verify-in-bucket.ts';

/** Objects in a bucket. */
export function checkedBucket(storage: Bucket): CheckedStorage {
  return {
    requireOwn: (client) => requireOwnBucket(client, storage),
    journal: openDatabaseJournal,
    width: { deep: 8, quick: 16 },
    look(client, { deep, rate, signal, moved }) {
      const listing = bucketListing(storage.list);
      const reading = { storage, pace: createPace(rate, signal), signal, moved };
      let known: Promise<ReadonlySet<string>> | null = null;
      return {
        async verify(item, inside) {
          if (deep) return await verifyBytes(item, { ...reading, inside });
          const faults = verifyFound(item, await listing.find(itemKey(item)));
          moved(sizeOf(item));
          // A listing may be late.
          return faults.length === 0 ? faults : await verifyHead(item, storage);
        },
        verifyAgain: async (item) =>
          deep ? await verifyBytes(item, { ...reading, moved: () => undefined }) : await verifyHead(item, storage),
        pathOf,
        // Their rows say it to whoever asks for an address (files/download-url.ts).
        withhold: async () => undefined,
        async isWithheld(key) {
          known ??= damagedKeys(client);
          return (await known).has(key);
        },
        release: async () => undefined,
      };
    },
    unneeded: (client, reached, at) => unneededInBucket(client, storage, reached, at),
    free: (client, orphans, at) => freeInBucket(client, storage, orphans, at),
  };
}

const sizeOf = (item: ListedItem): number =>
  item.kind === 'object' ? item.object.size : item.objects.reduce((sum, { size }) => sum + size, 0);

function pathOf(key: string): string {
  const packed = parsePackedKey(key);
  return packed ? segmentKey(packed.segment) : key;
}

async function verifyHead(item: ListedItem, storage: ObjectStorage): Promise<readonly Fault[]> {
  return verifyFound(item, await storage.head(itemKey(item)));
}

/** By size and etag, without the bytes. */
function verifyFound(item: ListedItem, found: Pick<FoundObject, 'size' | 'etag'> | null): readonly Fault[] {
  const objects = item.kind === 'object' ? [item.object] : item.objects;
  if (!found) return objects.map((object) => ({ object, why: 'absent' }));
  if (item.kind === 'object') return faultOf(item.object, found);
  return objects.filter(({ key }) => endOf(key) >= found.size).map((object) => ({ object, why: 'damaged' }));
}

function faultOf(object: ListedObject, { size, etag }: Pick<FoundObject, 'size' | 'etag'>): readonly Fault[] {
  // An object that was put back in other parts has another etag, of the same bytes: a deep check reads these.
  const isComparable = countIn(etag) === countIn(object.etag);
  const fault = judgeRow(object, { size, ...(isComparable && { etag }), ...(countIn(etag) === '' && { chunks: [etag] }) });
  return fault ? [fault] : [];
}

/** Of an object's parts, as its etag says; empty where it came as one. */
const countIn = (etag: string): string => /-(\d+)$/.exec(etag)?.[1] ?? '';

function endOf(key: string): number {
  const { offset, length } = parsePackedKey(key)!;
  return offset + length;
}
