import type { Command } from 'commander';

/** What a shell is told of one command. */
export interface Node {
  /** `admin team create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly OptionNode[];
  /** Whether it takes arguments, which are completed as files. */
  readonly takesArguments: boolean;
}

export interface OptionNode {
  /** `-V` and `--version`. */
  readonly names: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** All commands of a program, from its own tree. */
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
    takesArguments: program.registeredArguments.length > 0,
  };
  return [node, ...program.commands.flatMap((command) => commandTree(command, `${path} ${command.name()}`.trim()))];
}
