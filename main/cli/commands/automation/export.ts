import { Command } from 'commander';
import { type AgentFlags, addAgentOptions, openAgent } from '../../agent-connection/agent-options.ts';
import { exitCodesHelp } from '../../exit-codes.ts';
import { findAutomation } from './find.ts';

const help = `
Examples:
  longshore automation export > automations.yaml
  longshore automation export Renders "Camera cart"

\`longshore automation add --file\` reads it again, here or on another machine. Access codes of Portals are not written.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound'])}`;

/** `longshore automation export` */
export function exportCommand(): Command {
  return addAgentOptions(
    new Command('export').description('Writes automations as YAML.').argument('[automation...]', 'names or ids (default: all)'),
  )
    .addHelpText('after', help)
    .action(async (given: string[], flags: AgentFlags) => {
      const agent = await openAgent(flags);
      const ids: string[] = [];
      for (const one of given) ids.push((await findAutomation(agent, one)).id);
      const { yaml } = await agent.call('exportAutomations', { query: ids.length === 0 ? {} : { ids } });
      process.stdout.write(yaml);
    });
}
