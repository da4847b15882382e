import { Command } from 'commander';
import type { AutomationQuestion } from '#protocol/agent/automations/history.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../../agent-connection/agent-options.ts';
import { exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { printable } from '../../format.ts';
import { printJson } from '../admin/print.ts';
import { findAutomation } from './find.ts';
import { formOption, formValuesOf } from './options.ts';

interface AnswerFlags extends AgentFlags {
  readonly form?: Readonly<Record<string, string>>;
  readonly json: boolean;
}

const help = `
Examples:
  longshore automation answer "Camera cart"
  longshore automation answer "Camera cart" A001 --form camera=A --form scene=12

Without --form it lists what is asked. The entry need not be named where only one is asked about.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound'])}`;

/** `longshore automation answer` */
export function answerCommand(): Command {
  const command = new Command('answer')
    .description('Answers the form of a Portal that an automation could not complete.')
    .argument('<automation>', 'its name or id, as `longshore automation ls` shows them')
    .argument('[entry]', 'the file or folder that is asked about')
    .addOption(formOption())
    .addOption(jsonOption());
  return addAgentOptions(command).addHelpText('after', help).action(answer);
}

async function answer(given: string, entry: string | undefined, { form, json, ...flags }: AnswerFlags): Promise<void> {
  const agent = await openAgent(flags);
  const { id, name } = await findAutomation(agent, given);
  const questions = await agent.call('listAutomationQuestions', { params: { id } });
  const chosen = entry === undefined ? questions : questions.filter((one) => one.entry === entry);
  if (entry !== undefined && chosen.length === 0)
    throw new CommandError(exitCodes.notFound, `"${printable(name)}" asks nothing about "${printable(entry)}".`);
  if (form === undefined) {
    if (json) return printJson(chosen);
    for (const question of chosen) process.stdout.write(`${linesOf(question).join('\n')}\n`);
    if (chosen.length === 0) console.error('It asks nothing.');
    return;
  }
  const [question, ...others] = chosen;
  if (!question) throw new CommandError(exitCodes.notFound, `"${printable(name)}" asks nothing.`);
  if (others.length > 0) {
    const entries = chosen.map((one) => `"${printable(one.entry)}"`).join(', ');
    throw new CommandError(exitCodes.usage, `Name the entry that you answer for: ${entries}.`);
  }
  const asked = question.fields.map((field) => field.name);
  const unknown = Object.keys(form).find((field) => !asked.includes(field));
  if (unknown !== undefined)
    throw new CommandError(exitCodes.usage, `"${printable(unknown)}" is not asked, only ${asked.map(printable).join(', ')}.`);
  await agent.call('answerAutomationQuestion', { params: { id, question_id: question.id }, body: { form: formValuesOf(form) } });
  if (json) return printJson({ entry: question.entry, answered: true });
  process.stdout.write(`Answered for "${printable(question.entry)}".\n`);
}

function linesOf({ entry, fields }: AutomationQuestion): string[] {
  const lines = fields.map(({ name, label, type, options = [] }) => {
    const shown = label === '' || label === name ? '' : ` (${label})`;
    const choice = options.length === 0 ? type : options.join(', ');
    return printable(`  ${name}${shown}: ${choice}`);
  });
  return [printable(entry), ...lines];
}
