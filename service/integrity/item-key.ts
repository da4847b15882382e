import type { ListedItem } from '../backup/object-list.ts';

/** Of a segment in a bucket. */
export const segmentKey = (segment: string): string => `segments/${segment}`;

/** Where an item stands: keys ascend along the list (backup/object-list.ts), as a bucket's do along its listing. */
export const itemKey = (item: ListedItem): string => (item.kind === 'object' ? item.object.key : segmentKey(item.segment));
