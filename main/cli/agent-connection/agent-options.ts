import { type Command, Option } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import { defaultAgentUrl, parseAgentUrl } from '../options.ts';
import { tokenFor } from './agent-token.ts';

/** Options of commands that require a running agent. */
export interface AgentFlags {
  readonly agentUrl: string;
  readonly agentToken?: string;
  readonly agentTokenFile?: string;
}

export function addAgentOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--agent-url <url>', 'the running agent: http(s)://…, or unix:/path of its socket')
        .env('LONGSHORE_AGENT_URL')
        .default(defaultAgentUrl)
        .argParser(parseAgentUrl),
    )
    .addOption(
      new Option('--agent-token <token>', 'its token, when it needs one and is not your own; shows in process lists').env(
        'LONGSHORE_AGENT_TOKEN',
      ),
    )
    .addOption(new Option('--agent-token-file <file>', 'file with that token').env('LONGSHORE_AGENT_TOKEN_FILE'));
}

export const jsonOption = (): Option => new Option('--json', 'print JSON').default(false);

export const tokenOf = (flags: AgentFlags): string | undefined => tokenFor(flags.agentUrl, flags);

/** Connects to the chosen agent. Its routes are loaded lazily: the help of a command does not need them. */
export async function openAgent(flags: AgentFlags): Promise<AgentClient> {
  const token = tokenOf(flags);
  const { agentClient } = await import('./remote-agent.ts');
  return agentClient({ url: flags.agentUrl, token });
}
