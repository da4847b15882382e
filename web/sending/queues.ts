import type { Item } from './item.ts';

/** Bytes. Files up to this size use batch calls (create, finalize). */
const smallSize = 8 * 1024 * 1024;
const smallAtOnce = 512;
const largeAtOnce = 3;

/** Whether an item uses batch calls. */
export const isSmall = ({ kind, size }: Pick<Item, 'kind' | 'size'>): boolean => kind === 'directory' || size <= smallSize;

/** Waiting items: many small ones and a few large ones are sent concurrently. */
interface Queues {
  push(item: Item): void;
  /** The next item within the concurrency limits; null for none. Call `left` when it has ended. */
  next(): Item | null;
  left(item: Item): void;
  underWay(): number;
}

export function createQueues(items: readonly Item[]): Queues {
  const small = queueOf(smallAtOnce);
  const large = queueOf(largeAtOnce);
  const queueFor = (item: Item) => (isSmall(item) ? small : large);
  for (const item of items) if (item.state === 'waiting') queueFor(item).push(item);
  return {
    push: (item) => queueFor(item).push(item),
    next: () => large.next() ?? small.next(),
    left: (item) => queueFor(item).left(),
    underWay: () => small.underWay() + large.underWay(),
  };
}

function queueOf(most: number) {
  let waiting: Item[] = [];
  let at = 0;
  let underWay = 0;
  return {
    push: (item: Item): void => void waiting.push(item),
    next(): Item | null {
      if (underWay === most) return null;
      while (at < waiting.length) {
        const item = waiting[at++]!;
        // It may have been removed or started since it was queued.
        if (item.state !== 'waiting') continue;
        underWay++;
        return item;
      }
      waiting = [];
      at = 0;
      return null;
    },
    left: (): void => void underWay--,
    underWay: (): number => underWay,
  };
}
