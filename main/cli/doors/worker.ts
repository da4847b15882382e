import type { Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';

/**
 * What runs a command's work: a running agent; an engine in this process; or an agent if one runs at the usual address,
 * otherwise an engine.
 */
export type Worker = { readonly kind: 'agent'; readonly url: string } | { readonly kind: 'own' } | { readonly kind: 'look' };

/** The source of an option's value; undefined where it was not given. */
export type Source = 'cli' | 'env' | undefined;

export interface Given {
  readonly agentUrl: { readonly value: string | undefined; readonly source: Source };
  readonly noAgent: boolean;
  /** An API key, or a file with one. */
  readonly key: Source;
}

const weight = (source: Source): number => (source === 'cli' ? 2 : source === 'env' ? 1 : 0);

/**
 * The command line has priority over the environment; in the environment an agent has priority over a key. Mutually
 * exclusive options are refused, since one of them would be ignored.
 *
 * @throws CommandError usage
 */
export function chooseWorker({ agentUrl, noAgent, key }: Given): Worker {
  if (noAgent && agentUrl.source === 'cli') {
    throw new CommandError(exitCodes.usage, 'Give --agent-url or --no-agent, not both.');
  }
  if (noAgent) return { kind: 'own' };
  if (agentUrl.source === 'cli' && key === 'cli') {
    const message =
      'Give --agent-url or an API key, not both: an agent uses its own sign-in (longshore login), and a key is for work in this process.';
    throw new CommandError(exitCodes.usage, message);
  }
  if (agentUrl.value !== undefined && weight(agentUrl.source) >= weight(key)) return { kind: 'agent', url: agentUrl.value };
  return { kind: key === undefined ? 'look' : 'own' };
}

/** The worker chosen by a command's options, and the service if one was named. */
export function wantedOf(command: Command): { readonly worker: Worker; readonly serviceUrl: string | null } {
  const source = (name: string): Source => {
    const from: string | undefined = command.getOptionValueSource(name);
    if (from === 'cli') return 'cli';
    return from === 'env' ? 'env' : undefined;
  };
  const flags = command.opts<{ agentUrl?: string; agent: boolean; serviceUrl: string }>();
  const keys = [source('apiKey'), source('apiKeyFile')];
  return {
    worker: chooseWorker({
      agentUrl: { value: flags.agentUrl, source: source('agentUrl') },
      noAgent: !flags.agent,
      key: keys.includes('cli') ? 'cli' : keys.find((key) => key !== undefined),
    }),
    serviceUrl: source('serviceUrl') === undefined ? null : flags.serviceUrl,
  };
}
