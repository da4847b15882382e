import { Argument, Command } from 'commander';
import { type Shell, shells } from '../completion/shells.ts';
import { exitCodesHelp } from '../exit-codes.ts';

const help = `
Examples:
  source <(longshore completion bash)
  longshore completion bash > ~/.local/share/bash-completion/completions/longshore
  longshore completion zsh > "\${fpath[1]}/_longshore"
  longshore completion fish > ~/.config/fish/completions/longshore.fish

Prints a script for the shell. Make it again after an update.
${exitCodesHelp(['ok', 'usage'])}`;

/** `longshore completion SHELL`: prints a shell completion script, generated from the program's command tree. */
export function completionCommand(program: () => Command): Command {
  return new Command('completion')
    .description('Prints a script by which a shell completes commands and options.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText('after', help)
    .action(async (shell: Shell) => {
      const [{ commandTree }, scripts] = await Promise.all([import('../completion/tree.ts'), import('../completion/scripts.ts')]);
      const make = { bash: scripts.bashScript, zsh: scripts.zshScript, fish: scripts.fishScript }[shell];
      process.stdout.write(make('longshore', commandTree(program())));
    });
}
