import type { AgentTransfer } from '#protocol/agent/transfers.ts';

type Placed = Pick<AgentTransfer, 'id' | 'position' | 'priority'>;

/** The request that moves a transfer between two others. */
export interface Move {
  readonly position: number;
  readonly priority?: AgentTransfer['priority'];
}

const ranks = { high: 0, normal: 1, low: 2 } as const;

/**
 * The change that moves `one` between `above` and `below` in the queue's order (priority, then position). Its priority
 * changes only if necessary. `null` where it is there already, or is the only one.
 */
export function moveBetween(one: Placed, above: Placed | null, below: Placed | null): Move | null {
  if (above?.id === one.id || below?.id === one.id) return null;
  const fits = (!above || ranks[above.priority] <= ranks[one.priority]) && (!below || ranks[one.priority] <= ranks[below.priority]);
  const priority = fits
    ? one.priority
    : above && (!below || ranks[above.priority] > ranks[one.priority])
      ? above.priority
      : below!.priority;
  const position = positionFor(one, [above, below], priority);
  if (position === null) return priority === one.priority ? null : { position: one.position, priority };
  return { position, ...(priority === one.priority ? {} : { priority }) };
}

/**
 * The agent gives it the position of the transfer at that number and keeps the order of the others, so a move down
 * shifts the others up.
 */
function positionFor(
  one: Placed,
  [above, below]: readonly [Placed | null, Placed | null],
  priority: AgentTransfer['priority'],
): number | null {
  if (below?.priority === priority) return below.position > one.position ? below.position - 1 : below.position;
  if (above?.priority === priority) return above.position > one.position ? above.position : above.position + 1;
  return null;
}
