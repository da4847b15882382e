import { type Command, Option } from 'commander';
import {
  apiKeyFileOption,
  apiKeyOption,
  dataDirOption,
  defaultAgentUrl,
  logLevelOption,
  parseAgentUrl,
  serviceUrlOption,
} from '../options.ts';

/** The options that choose the agent for a command. `agentChoiceOf` reads some of them, `AgentConnectionFlags` has the others. */
export function addAgentConnectionOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--agent-url <url>', `a running agent to work with (default: ${defaultAgentUrl} if one runs there)`)
        .env('LONGSHORE_AGENT_URL')
        .argParser(parseAgentUrl),
    )
    .addOption(
      new Option('--agent-token <token>', 'its token, when it needs one and is not your own; shows in process lists').env(
        'LONGSHORE_AGENT_TOKEN',
      ),
    )
    .addOption(new Option('--agent-token-file <file>', 'file with that token').env('LONGSHORE_AGENT_TOKEN_FILE'))
    .addOption(new Option('--no-agent', 'do the work in this process even if an agent runs'))
    .addOption(serviceUrlOption())
    .addOption(apiKeyOption())
    .addOption(apiKeyFileOption())
    .addOption(dataDirOption())
    .addOption(logLevelOption());
}

export const agentConnectionHelp = `
The work is done by the agent at --agent-url; else, when a key is given or no agent runs at the usual address, in
this process, with its state in the data folder. Then Ctrl-C leaves it half done, and the same command goes on.
What is typed outweighs the environment.`;
