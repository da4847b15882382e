import type { ListedObject, ObjectStorage } from '#storage/ports.ts';

/** The objects of a bucket, looked up in the order of their keys: a thousand by each request. */
export interface BucketListing {
  /** `null` for one that is not listed. Keys ascend from call to call, also while an earlier one is not answered yet. */
  find(key: string): Promise<ListedObject | null>;
}

export function bucketListing(list: Required<ObjectStorage>['list']): BucketListing {
  let page: readonly ListedObject[] = [];
  /** Of the page: all before it are behind. */
  let at = 0;
  let isOver = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function find(key: string): Promise<ListedObject | null> {
    for (;;) {
      while (at < page.length && page[at]!.key < key) at += 1;
      if (at < page.length) return page[at]!.key === key ? page[at]! : null;
      if (isOver) return null;
      // At the first key that is asked for, wherever the list is gone on with.
      page = await list('', page.at(-1)?.key ?? before(key));
      at = 0;
      isOver = page.length === 0;
    }
  }
  return {
    find(key) {
      const found = turn.then(() => find(key));
      turn = found.catch(() => undefined);
      return found;
    },
  };
}

/** Comes before a key, and after every other before it that Longshore makes: none has a `~`. */
const before = (key: string): string => `${key.slice(0, -1)}${String.fromCharCode(key.charCodeAt(key.length - 1) - 1)}~`;
