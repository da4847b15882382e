import type { Command } from 'commander';

/** The data of one command for a completion script. */
export interface Node {
  /** For example `admin team create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly OptionNode[];
  /** The allowed values of its arguments, if they are a fixed list. */
  readonly choices: readonly string[];
  /** Whether arguments are files or folders of this machine. A script cannot know names of transfers or links. */
  readonly takesFiles: boolean;
}

export interface OptionNode {
  /** For example `-V` and `--version`. */
  readonly names: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Names of arguments that are files or folders. */
const fileArguments: readonly string[] = ['path', 'folder'];

/** All commands of a program, read from its command tree. */
export function commandTree(program: Command, path = ''): Node[] {
  const helper = program.createHelp();
  const commands = helper.visibleCommands(program);
  const node: Node = {
    path,
    commands: commands.map((command) => ({ name: command.name(), about: command.description() })),
    options: helper.visibleOptions(program).map(({ short, long, description, required, optional, argChoices }) => ({
      names: [short, long].filter((name) => name !== undefined),
      about: description,
      takesValue: required || optional,
      choices: argChoices ?? [],
    })),
    choices: program.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    takesFiles: program.registeredArguments.some((argument) => fileArguments.includes(argument.name())),
  };
  return [node, ...program.commands.flatMap((command) => commandTree(command, `${path} ${command.name()}`.trim()))];
}
