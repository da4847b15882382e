import type { AgentClient } from '#client/agent.ts';
import type { AgentFlags } from '../../agent-connection/agent-options.ts';
import { tokenOf } from '../../agent-connection/agent-options.ts';
import { runningAgent } from '../../agent-connection/connect.ts';
import { senderFor } from '../../agent-connection/sender.ts';
import { chooseTeam } from '../send.ts';
import type { FieldFlags } from './options.ts';

/**
 * The fields that name a Team or a Portal.
 *
 * @param has whether the automation's kind has a field
 * @param isNew whether a Team is needed, so that the only one is meant where none is named
 */
export async function targetFields(
  agent: AgentClient,
  { team, portal, ...flags }: AgentFlags & FieldFlags,
  has: (field: string) => boolean,
  isNew: boolean,
): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  if (has('team_id') && (team !== undefined || isNew)) {
    const sender = await senderFor(await runningAgent(flags.agentUrl, tokenOf(flags)), null);
    fields['team_id'] = chooseTeam(sender.teams, team).id;
  }
  if (portal === undefined) return fields;
  const isId = /^[0-9a-f-]{36}$/i.test(portal);
  if (isId) fields['portal_id'] = portal;
  else if (has('subdomain')) fields['subdomain'] = portal;
  // A download automation knows its Portal by id.
  else fields['portal_id'] = (await agent.call('previewPortal', { body: { subdomain: portal } })).id;
  return fields;
}
