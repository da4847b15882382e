import type { Transaction } from 'kysely';
import type { TeamState } from '../accounts/team-state.ts';
import { appendEntries, byOperator } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import { type OperatorOrigin, recordOperatorAct } from './log.ts';

/**
 * Suspends or reactivates a Team, and writes it into its audit log and into the operators'. A Team in that state
 * already, or none, stays without an entry.
 */
export async function changeTeamState(
  trx: Transaction<Database>,
  teamId: string,
  state: TeamState,
  origin: OperatorOrigin,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const team = await trx
    .updateTable('teams')
    .set({ state, updated_at: origin.at })
    .where('id', '=', teamId)
    .where('state', '!=', state)
    .returning(['id', 'name'])
    .executeTakeFirst();
  if (!team) return;
  const action = state === 'active' ? 'team.activated' : 'team.suspended';
  const event = { action, target: { kind: 'team', ...team }, details } as const;
  await appendEntries(trx, [teamId], byOperator(origin.at, origin.name), event);
  await recordOperatorAct(trx, origin, event);
}
