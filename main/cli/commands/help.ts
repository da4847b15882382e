import { Command } from 'commander';

/** `longshore help [COMMAND…]`: the help of a command at any depth. */
export function helpCommand(program: () => Command): Command {
  return new Command('help')
    .description('Shows the help of a command, as of: help admin user create.')
    .argument('[command...]', 'the command')
    .action((words: string[]) => {
      let shown = program();
      for (const word of words) {
        const inner = shown.commands.find((one) => one.name() === word || one.aliases().includes(word));
        if (!inner) return shown.error(`error: unknown command '${word}'`);
        shown = inner;
      }
      shown.help();
    });
}
