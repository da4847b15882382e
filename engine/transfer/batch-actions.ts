import type { ActedOn, ActOnTransfers } from '#protocol/agent/transfer-actions.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { Lists } from '../state/lists.ts';
import { transferChangesInProgress } from './concurrency/limits.ts';
import type { TransferControl } from './control.ts';
import { isOver } from './state-machine.ts';
import type { TransferRegistry } from './transfer-registry.ts';

interface BatchActionPorts {
  readonly registry: TransferRegistry;
  readonly lists: Pick<Lists, 'all'>;
  readonly control: Pick<TransferControl, 'pauseThese' | 'resumeThese' | 'retry' | 'change'>;
  /** Cancels a transfer that is not over, removes one that is. */
  readonly remove: (id: string) => Promise<void>;
}

/** Changes made before the event loop gets a turn. */
const sliceOf = 250;

/**
 * Applies one action to many transfers: to the named ones, or to all that match now. Continues if one refuses.
 *
 * @throws ApiError `invalid_request` where neither or both are given, or `priority` lacks its value
 */
export async function actOnBatch({ registry, lists, control, remove }: BatchActionPorts, request: ActOnTransfers): Promise<ActedOn> {
  const { action, priority } = request;
  const ids = chosen(lists, request);
  const tally = { done: 0, refused: 0, reason: '' };
  const refuse = (error: unknown): void => {
    if (!(error instanceof ApiError)) throw error;
    tally.refused += 1;
    tally.reason ||= error.message;
  };
  const one = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
      tally.done += 1;
    } catch (error) {
      refuse(error);
    }
  };

  if (action === 'pause' || action === 'resume') {
    for (let start = 0; start < ids.length; start += sliceOf) {
      const slice = ids.slice(start, start + sliceOf);
      const { done, refusals } = await (action === 'pause' ? control.pauseThese(slice) : control.resumeThese(slice));
      tally.done += done;
      for (const error of refusals) refuse(error);
      await turn();
    }
    return tally;
  }

  const act = async (id: string): Promise<unknown> => {
    if (action === 'retry') return control.retry(id);
    if (action === 'priority') return control.change(id, { priority: priority! });
    const over = isOver(registry.get(id).phase);
    if (action === 'cancel' && over)
      throw new AgentError('transfer_conflict', { detail: 'It is over already, so it cannot be cancelled.' });
    if (action === 'remove' && !over) throw new AgentError('transfer_conflict', { detail: 'It is not over yet: cancel it first.' });
    return remove(id);
  };
  for (let start = 0; start < ids.length; start += transferChangesInProgress) {
    await Promise.all(ids.slice(start, start + transferChangesInProgress).map((id) => one(act(id))));
    await turn();
  }
  return tally;
}

const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

function chosen(lists: BatchActionPorts['lists'], { action, priority, ids, matching, except }: ActOnTransfers): readonly string[] {
  if ((ids === undefined) === (matching === undefined)) {
    throw new AgentError('invalid_request', { detail: 'Give either ids or matching, to say which transfers are meant.' });
  }
  if (action === 'priority' && priority === undefined)
    throw new AgentError('invalid_request', { detail: 'The field priority is missing.' });
  if (ids) return [...new Set(ids)];
  const left = new Set(except);
  return lists.all(matching!).filter((id) => !left.has(id));
}
