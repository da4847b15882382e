import type { AgentClient } from '#client/agent.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { exitCodes } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { printable } from '../../format.ts';

/**
 * Finds an automation by its name, which only one has, or its id.
 *
 * @throws CommandError where there is none
 */
export async function findAutomation(agent: AgentClient, given: string): Promise<Automation> {
  const automations = await agent.call('listAutomations', {});
  const found = automations.find(({ name }) => name === given) ?? automations.find(({ id }) => id === given);
  if (found) return found;
  throw new CommandError(exitCodes.notFound, `There is no automation "${printable(given)}". \`longshore automation ls\` shows all.`);
}

/** The folder that it watches, or that it fills. */
export const folderOf = (automation: Automation): string => ('folder' in automation ? automation.folder : automation.dst_folder);
