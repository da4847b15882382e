import type { TransferRecord } from './record.ts';

type Placed = Pick<TransferRecord, 'id' | 'position' | 'priority'>;

/** A lower rank runs sooner. */
export const ranks = { high: 0, normal: 1, low: 2 } as const;

/** Whether `a` runs before `b`: by priority, then by position. */
export function goesBefore(a: Pick<Placed, 'priority' | 'position'>, b: Pick<Placed, 'priority' | 'position'>): boolean {
  return ranks[a.priority] < ranks[b.priority] || (a.priority === b.priority && a.position < b.position);
}

/** Whether `a` has the higher priority, whatever their positions. */
export function isMoreUrgent(a: Pick<Placed, 'priority'>, b: Pick<Placed, 'priority'>): boolean {
  return ranks[a.priority] < ranks[b.priority];
}

/**
 * Moves one transfer to `position`; 0 is the first, and a number beyond the end is the last. The others keep their
 * order, and the set of positions stays the same. Returns the new positions of those that moved, by id.
 */
export function moved(all: readonly Pick<Placed, 'id' | 'position'>[], id: string, position: number): ReadonlyMap<string, number> {
  const line = [...all].sort((a, b) => a.position - b.position);
  const from = line.findIndex((one) => one.id === id);
  const one = line[from];
  const changes = new Map<string, number>();
  if (!one) return changes;
  const before = line.filter((other) => other.position < position).length;
  const upTo = line.filter((other) => other.position <= position).length;
  const to = position > one.position ? upTo - 1 : before;
  const positions = line.map((other) => other.position);
  line.splice(from, 1);
  line.splice(to, 0, one);
  line.forEach((other, index) => {
    const position = positions[index]!;
    if (other.position !== position) changes.set(other.id, position);
  });
  return changes;
}
