import { type Command, Option } from 'commander';
import { defaultAgentUrl, parseAgentUrl, readSecret } from '../options.ts';
import type { AgentCaller } from './remote.ts';

/** What commands are told that do nothing without a running agent. */
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
      new Option('--agent-token <token>', 'its token, when it listens beyond this machine; shows in process lists').env(
        'LONGSHORE_AGENT_TOKEN',
      ),
    )
    .addOption(new Option('--agent-token-file <file>', 'file with that token').env('LONGSHORE_AGENT_TOKEN_FILE'));
}

export const jsonOption = (): Option => new Option('--json', 'print JSON').default(false);

export const tokenOf = (flags: AgentFlags): string | undefined => readSecret(flags.agentToken, flags.agentTokenFile, "agent's token");

/** The agent that is meant. Its routes are loaded here: the help of a command needs none. */
export async function openAgent(flags: AgentFlags): Promise<AgentCaller> {
  const token = tokenOf(flags);
  const { agentCaller } = await import('./remote.ts');
  return agentCaller({ url: flags.agentUrl, token });
}
