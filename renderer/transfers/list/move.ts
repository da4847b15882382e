import type { AgentTransfer } from '#protocol/agent/transfers.ts';

type Placed = Pick<AgentTransfer, 'id' | 'position' | 'priority'>;

/** What has to be asked of the agent so that a transfer stands between two others. */
export interface Move {
  readonly position: number;
  readonly priority?: AgentTransfer['priority'];
}

const ranks = { high: 0, normal: 1, low: 2 } as const;

/**
 * How `one` comes to stand between `above` and `below` in the queue's order (priority, then place). Its priority
 * changes only where it could not stand there otherwise. `null` where it stands there already, or is alone.
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

/** The agent moves it to the place of whoever stands at that number, the others keeping their order: so going down it pushes up. */
function positionFor(
  one: Placed,
  [above, below]: readonly [Placed | null, Placed | null],
  priority: AgentTransfer['priority'],
): number | null {
  if (below?.priority === priority) return below.position > one.position ? below.position - 1 : below.position;
  if (above?.priority === priority) return above.position > one.position ? above.position : above.position + 1;
  return null;
}
