import { Command } from 'commander';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import type { AgentStatus } from '#protocol/agent/system.ts';
import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../agent-connection/agent-options.ts';
import { exitCodesHelp } from '../exit-codes.ts';
import { bytesText, momentText, printable, speedText } from '../format.ts';
import { printJson } from './admin/print.ts';
import { teamsText } from './login.ts';
import { sessionText } from './logout.ts';

interface StatusFlags extends AgentFlags {
  readonly json: boolean;
}

const help = `
Examples:
  longshore status
  longshore status --json | jq .transfers.failed
  longshore status --agent-url unix:/run/longshore/agent.sock

Ends with 4 where no agent answers.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable'])}`;

/** `longshore status`: the state of the running agent. */
export function statusCommand(): Command {
  return addAgentOptions(
    new Command('status').description('Shows how the running agent is: sessions, transfers, warnings.').addOption(jsonOption()),
  )
    .addHelpText('after', help)
    .action(async (flags: StatusFlags) => {
      const agent = await openAgent(flags);
      const status = await agent.call('status', {});
      const [sessions, summary] = await Promise.all([agent.call('listSessions', {}), agent.call('summarizeTransfers', {})]);
      if (flags.json) return printJson({ ...status, sessions, summary });
      process.stdout.write(`${statusLines(flags.agentUrl, status, sessions, summary).join('\n')}\n`);
    });
}

function statusLines(url: string, status: AgentStatus, sessions: readonly SignedIn[], summary: TransferSummary): string[] {
  const { states, bytes_left: left, upload_bps: up, download_bps: down } = summary;
  const counts = Object.entries(states)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${stateWords[state as keyof typeof states]}`);
  const lines = [
    `Agent      ${printable(status.version)} at ${url}, since ${momentText(status.started_at)}`,
    `Service    ${printable(status.service_url)}`,
    ...(sessions.length === 0 ? ['Session    none: sign in with `longshore login`'] : []),
    ...sessions.map(
      (one) =>
        `Session    ${sessionText(one)}.${teamsText(one.teams)}${one.state === 'ended' ? ' Ended by the service: sign in again.' : ''}`,
    ),
    `Transfers  ${counts.length === 0 ? 'none' : counts.join(', ')}${left > 0 ? `; ${bytesText(left)} left` : ''}`,
  ];
  if (up > 0 || down > 0) lines.push(`Speed      sending ${speedText(up)}, receiving ${speedText(down)}`);
  if (status.paused) {
    lines.push(
      `Paused     all, until ${status.paused.until === null ? 'they are resumed with `longshore resume --all`' : momentText(status.paused.until)}`,
    );
  }
  return [...lines, ...status.warnings.map((warning) => `Warning    ${printable(warning)}`)];
}

const stateWords: Readonly<Record<keyof TransferSummary['states'], string>> = {
  queued: 'waiting',
  transferring: 'under way',
  paused: 'paused',
  idle: 'to be finalized',
  complete: 'complete',
  error: 'failed',
  cancelled: 'cancelled',
};
