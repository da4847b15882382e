import type { Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';

/**
 * What runs a command's work: a running agent; an engine in this process; or an agent if one runs at the usual address,
 * otherwise an engine.
 */
export type AgentChoice =
  | { readonly kind: 'running'; readonly url: string }
  | { readonly kind: 'in_process' }
  | { readonly kind: 'detect' };

/** The source of an option's value; undefined where it was not given. */
type Source = 'cli' | 'env' | undefined;

interface ChoiceOptions {
  readonly agentUrl: { readonly value: string | undefined; readonly source: Source };
  readonly noAgent: boolean;
  /** An API key, or a file with one. */
  readonly key: Source;
}

const priorityOf = (source: Source): number => (source === 'cli' ? 2 : source === 'env' ? 1 : 0);

/**
 * The command line has priority over the environment; in the environment an agent has priority over a key. Mutually
 * exclusive options are refused, since one of them would be ignored.
 *
 * @throws CommandError usage
 */
function chooseAgent({ agentUrl, noAgent, key }: ChoiceOptions): AgentChoice {
  if (noAgent && agentUrl.source === 'cli') {
    throw new CommandError(exitCodes.usage, 'Give --agent-url or --no-agent, not both.');
  }
  if (noAgent) return { kind: 'in_process' };
  if (agentUrl.source === 'cli' && key === 'cli') {
    const message =
      'Give --agent-url or an API key, not both: an agent uses its own sign-in (longshore login), and a key is for work in this process.';
    throw new CommandError(exitCodes.usage, message);
  }
  if (agentUrl.value !== undefined && priorityOf(agentUrl.source) >= priorityOf(key)) return { kind: 'running', url: agentUrl.value };
  return { kind: key === undefined ? 'detect' : 'in_process' };
}

/** The choice made by a command's options, and the service if one was named. */
export function agentChoiceOf(command: Command): { readonly choice: AgentChoice; readonly serviceUrl: string | null } {
  const source = (name: string): Source => {
    const from: string | undefined = command.getOptionValueSource(name);
    if (from === 'cli') return 'cli';
    return from === 'env' ? 'env' : undefined;
  };
  const flags = command.opts<{ agentUrl?: string; agent: boolean; serviceUrl: string }>();
  const keys = [source('apiKey'), source('apiKeyFile')];
  return {
    choice: chooseAgent({
      agentUrl: { value: flags.agentUrl, source: source('agentUrl') },
      noAgent: !flags.agent,
      key: keys.includes('cli') ? 'cli' : keys.find((key) => key !== undefined),
    }),
    serviceUrl: source('serviceUrl') === undefined ? null : flags.serviceUrl,
  };
}
