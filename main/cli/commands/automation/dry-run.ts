import { Command, Option } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import type { DryRun } from '#protocol/agent/automations/dry-run.ts';
import type { AgentTeam } from '#protocol/agent/session.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent, tokenOf } from '../../agent-connection/agent-options.ts';
import { runningAgent } from '../../agent-connection/connect.ts';
import { senderFor } from '../../agent-connection/sender.ts';
import { exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { bytesText, countText, printable } from '../../format.ts';
import { printJson } from '../admin/print.ts';
import { readYamlFile } from './add.ts';
import { findAutomation } from './find.ts';

interface DryRunFlags extends AgentFlags {
  readonly file?: string;
  readonly json: boolean;
}

const help = `
Examples:
  longshore automation dry-run Renders
  longshore automation dry-run --file automations.yaml

Shows which packages would be made now, of which files, with which answers to a Portal's form, and what is left out and
why. Nothing is sent, moved or noted.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local'])}`;

/** `longshore automation dry-run` */
export function dryRunCommand(): Command {
  const command = new Command('dry-run')
    .description('Shows what an automation would do now, and does nothing.')
    .argument('[automation]', 'its name or id, as `longshore automation ls` shows them')
    .addOption(new Option('--file <file>', 'those of a YAML file, in place of one that is there'))
    .addOption(jsonOption());
  return addAgentOptions(command)
    .addHelpText('after', help)
    .action(async (given: string | undefined, flags: DryRunFlags) => {
      if ((given === undefined) === (flags.file === undefined))
        throw new CommandError(exitCodes.usage, 'Give the name of an automation, or --file.');
      const agent = await openAgent(flags);
      const runs = flags.file === undefined ? [await ofOne(agent, given!)] : await ofFile(agent, flags.file, flags);
      if (flags.json) return printJson(flags.file === undefined ? runs[0]!.run : runs.map(({ name, run }) => ({ name, ...run })));
      for (const { name, run } of runs) {
        if (runs.length > 1) process.stdout.write(`${printable(name)}\n`);
        process.stdout.write(`${linesOf(run).map(printable).join('\n')}\n`);
      }
    });
}

interface NamedRun {
  readonly name: string;
  readonly run: DryRun;
}

async function ofOne(agent: AgentClient, given: string): Promise<NamedRun> {
  const { id, name } = await findAutomation(agent, given);
  return { name, run: await agent.call('dryRunAutomation', { params: { id } }) };
}

async function ofFile(agent: AgentClient, file: string, flags: AgentFlags): Promise<NamedRun[]> {
  const [{ readAutomations }, { namesTeams, withTeamIds }, { YamlFault }] = await Promise.all([
    import('#engine/automations/rules/automations-yaml.ts'),
    import('#engine/automations/rules/team-names.ts'),
    import('#engine/automations/rules/yaml-text.ts'),
  ]);
  const runs: NamedRun[] = [];
  try {
    const read = readAutomations(readYamlFile(file));
    const written = namesTeams(read) ? withTeamIds(read, await teamsOf(flags)) : read;
    const there = new Map((await agent.call('listAutomations', {})).map((one) => [one.name, one]));
    for (const { kind, name, fields } of written) {
      const saved = there.get(name);
      const id = saved?.kind === kind ? { id: saved.id } : {};
      const run = await agent.call('dryRunDraftAutomation', { body: { ...id, kind, automation: { active: true, ...fields } as never } });
      runs.push({ name, run });
    }
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    throw new CommandError(exitCodes.usage, `${file}, line ${error.line}: ${error.message}`, { cause: error });
  }
  return runs;
}

async function teamsOf(flags: AgentFlags): Promise<readonly AgentTeam[]> {
  return (await senderFor(await runningAgent(flags.agentUrl, tokenOf(flags)), null)).teams;
}

/** What a person reads of it. */
export function linesOf({ packages, skipped, truncated }: DryRun): string[] {
  return [
    ...packages.flatMap(({ name, files, total_bytes: bytes, paths, form, missing_fields: missing }) => [
      `"${name}"  ${countText(files, 'file')}, ${bytesText(bytes)}`,
      ...paths.map((path) => `  ${path}`),
      ...(files > paths.length ? [`  and ${countText(files - paths.length, 'more file')}`] : []),
      ...Object.entries(form ?? {}).map(([field, { value }]) => `  ${field} = ${Array.isArray(value) ? value.join(', ') : String(value)}`),
      ...(missing?.length ? [`  The form would be asked: ${missing.join(', ')}.`] : []),
    ]),
    ...(packages.length === 0 ? ['Nothing would be sent or fetched now.'] : []),
    ...(skipped.length > 0 ? ['Left out:', ...skipped.map(({ path, reason }) => `  ${path}: ${reason}`)] : []),
    ...(truncated ? ['There is more than is shown.'] : []),
  ];
}
