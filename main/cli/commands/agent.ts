import { Command, Option } from 'commander';
import { absolutePath, dataFolders } from '../../folders.ts';
import type { LogLevel } from '../../log-levels.ts';
import { exitCodesHelp } from '../exit-codes.ts';
import { type Listen, parseListen } from '../listen.ts';
import { apiKeyFileOption, apiKeyOption, dataDirOption, logLevelOption, readSecret, serviceUrlOption } from '../options.ts';
import { runUntilStopped } from '../run-until-stopped.ts';

interface AgentFlags {
  readonly listen: Listen;
  readonly dataDir: string;
  readonly serviceUrl: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly allowHost: readonly string[];
  readonly logLevel: LogLevel;
}

const help = `
Examples:
  longshore agent
  longshore agent --service-url https://files.example.com --api-key-file ~/.config/longshore/key
  LONGSHORE_API_KEY=… longshore agent --listen 127.0.0.1:0

Its page is at the address that it prints. It answers only this machine. With --listen beyond this machine, calls
need the token in the file api-token of its data folder (made at the first such start), as "Authorization: Bearer".
Every option can stand in the environment under the name shown beside it.

When it is ready it prints one line with its address. It stops on SIGTERM and Ctrl-C, writing down what is under
way, which goes on at the next start; a second signal ends it at once.
${exitCodesHelp(['ok', 'failure', 'usage', 'local', 'listen'])}`;

/** `longshore agent`: the transfer engine with its local API and page. */
export function agentCommand(): Command {
  return new Command('agent')
    .description('Runs the agent: transfers in the background, with a local API and a page.')
    .addOption(
      new Option('--listen <host:port>', 'where its API and page listen')
        .env('LONGSHORE_LISTEN')
        .default({ host: '127.0.0.1', port: 8090 }, '127.0.0.1:8090')
        .argParser(parseListen),
    )
    .addOption(serviceUrlOption())
    .addOption(apiKeyOption())
    .addOption(apiKeyFileOption())
    .addOption(dataDirOption())
    .addOption(
      new Option('--allow-host <name...>', 'beyond this machine: names by which it may be called').env('LONGSHORE_ALLOW_HOST').default([]),
    )
    .addOption(logLevelOption())
    .addHelpText('after', help)
    .action(async (flags: AgentFlags) => {
      const apiKey = readSecret(flags.apiKey, flags.apiKeyFile, 'API key');
      // Loaded here, so that no other command carries the agent.
      const [{ startAgent }, { createLog }] = await Promise.all([import('../../headless.ts'), import('../../log.ts')]);
      await runUntilStopped('agent', () =>
        startAgent({
          listen: flags.listen,
          dataDir: dataFolders(absolutePath(flags.dataDir, process.cwd())).agent,
          serviceUrl: flags.serviceUrl,
          apiKey,
          // From the environment it comes as one text.
          allowedHosts: [flags.allowHost].flat().flatMap((names) => names.split(',')),
          log: createLog(flags.logLevel),
        }),
      );
    });
}
