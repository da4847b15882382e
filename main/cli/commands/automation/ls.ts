import { Command } from 'commander';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../../agent-connection/agent-options.ts';
import { exitCodesHelp } from '../../exit-codes.ts';
import { countText, printable } from '../../format.ts';
import { printJson } from '../admin/print.ts';
import { folderOf } from './find.ts';

const help = `
Examples:
  longshore automation ls
  longshore automation ls --json | jq -r '.[] | select(.state == "needs_you") | .name'

Each has its state: watching, working, resting (paused), error (it goes on by itself once it can), or needs_you.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable'])}`;

/** `longshore automation ls` */
export function lsCommand(): Command {
  return addAgentOptions(new Command('ls').description('Lists the automations, and what each does.').addOption(jsonOption()))
    .addHelpText('after', help)
    .action(async (flags: AgentFlags & { readonly json: boolean }) => {
      const automations = await (await openAgent(flags)).call('listAutomations', {});
      if (flags.json) return printJson(automations);
      for (const automation of automations) process.stdout.write(`${linesOf(automation).join('\n')}\n`);
      if (automations.length === 0) console.error('No automations yet. `longshore automation add --help` shows how to make one.');
    });
}

/** What a person reads of an automation: a line for its state, one for what it is, and one for what it waits for. */
export function linesOf(automation: Automation): string[] {
  const { name, kind, state, message, waiting_for: waiting, waiting_since: since, next_scan_at: next, counts, id } = automation;
  const isUpload = 'folder' in automation;
  const counted = [
    countText(counts.sent, isUpload ? 'file' : 'package') + (isUpload ? ' sent' : ' received'),
    counts.waiting > 0 && `${counts.waiting.toLocaleString('en-US')} waiting`,
    counts.failed > 0 && `${counts.failed.toLocaleString('en-US')} failed`,
    counts.questions > 0 && countText(counts.questions, 'question'),
  ].filter(Boolean);
  return [
    `${isUpload ? '↑' : '↓'} ${printable(name)}  ${state}  ${counted.join(', ')}`,
    `  ${id}  ${kind}  ${printable(folderOf(automation))}`,
    ...(message === '' ? [] : [`  ${printable(message)}`]),
    ...(waiting === '' ? [] : [`  Waits: ${printable(waiting)}${since === undefined ? '' : `, since ${since}`}`]),
    ...(next === undefined ? [] : [`  Looks again: ${next}`]),
  ];
}
