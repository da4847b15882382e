import type { AgentClient } from '#client/agent.ts';
import { dropIdOf } from '../path-text.ts';

/** Has the agent delete what browsers sent it of these paths, but for drops that `left` still needs. */
export function deleteDrops(client: Pick<AgentClient, 'call'>, paths: readonly string[], left: readonly string[] = []): void {
  const kept = new Set(left.map(dropIdOf));
  const ids = new Set(paths.map(dropIdOf).filter((id) => id !== null && !kept.has(id)));
  // What cannot be reached now, the agent deletes by itself after a day; what an upload sends, it keeps.
  for (const id of ids) if (id) client.call('deleteDrop', { params: { id } }).catch(() => undefined);
}
