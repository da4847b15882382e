import { Command, Option } from 'commander';
import { agentOptions, configOf } from '../../config/agent-options.ts';
import { absolutePath, dataFolders } from '../../folders.ts';
import { stopMs } from '../../stop-limit.ts';
import { exitCodesHelp } from '../exit-codes.ts';
import { runUntilStopped } from '../run-until-stopped.ts';

interface AgentFlags {
  readonly config?: string;
  readonly printConfig: boolean;
}

const help = `
Examples:
  longshore agent
  longshore agent --service-url https://files.example.com --api-key-file ~/.config/longshore/key
  longshore agent --config /etc/longshore/agent.yaml
  longshore agent --config agent.yaml --log-level debug --print-config
  longshore agent --listen unix:/run/longshore/agent.sock

Every option can stand in the environment under the name shown beside it, and all but --api-key in the YAML file of
--config, without -- and with _ for -, e.g. "service_url: https://files.example.com". Flags outweigh the environment,
and that the file. The file may also list automations and mounts, which are made where they are not there
(docs/automations.md).

Its page is at the address that it prints. It answers only this machine, and on Linux only this user and root. With
--listen beyond this machine, or --require-token, calls need the token in the file api-token of its data folder (made
at the first such start), as "Authorization: Bearer"; the commands of this user find it there, and \`longshore open\`
opens the page with it. A Unix socket is for its owner alone, and needs no token.

When it is ready it prints one line with its address. It stops on SIGTERM and Ctrl-C within 10 s, writing down what is
under way, which goes on at the next start; a second signal ends it at once.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'local', 'listen'])}`;

/** `longshore agent`: the transfer engine with its local API and page. */
export function agentCommand(): Command {
  const command = new Command('agent')
    .description('Runs the agent: transfers in the background, with a local API and a page.')
    .addOption(new Option('--config <file>', 'a YAML file with settings').env('LONGSHORE_CONFIG'))
    .addOption(new Option('--print-config', 'print the settings, with where each comes from and no secret, and end').default(false));
  for (const option of agentOptions()) command.addOption(option);
  return command.addHelpText('after', help).action(async ({ config: file, printConfig }: AgentFlags, self: Command) => {
    const resolved = await configOf(self, file, process.cwd());
    const { apiKeyOf, printedConfig } = await import('../../config/resolve.ts');
    if (printConfig) {
      process.stdout.write(printedConfig(resolved));
      return;
    }
    const apiKey = apiKeyOf(resolved);
    const { listen, requireToken, dataDir, serviceUrl, allowHost, allowFolder, logLevel, otlpUrl } = resolved.config;
    const { otlpHeaders, traceRatio } = resolved.config;
    // Loaded lazily, so that other commands do not load the agent.
    const [{ startAgent }, { createLog }] = await Promise.all([import('../../headless.ts'), import('../../log.ts')]);
    await runUntilStopped('agent', async () => {
      const agent = await startAgent({
        listen,
        requireToken,
        dataDir: dataFolders(absolutePath(dataDir, process.cwd())).agent,
        serviceUrl,
        apiKey,
        provisioning: resolved.provisioning,
        allowedHosts: allowHost,
        allowedRoots: allowFolder.length === 0 ? undefined : allowFolder.map((folder) => absolutePath(folder, process.cwd())),
        log: createLog(logLevel),
        tracing: otlpUrl === undefined ? undefined : { url: otlpUrl, headers: otlpHeaders, ratio: traceRatio },
        watch: logLevel === 'silent' ? null : { output: process.stderr.fd, plain: process.stderr.isTTY },
      });
      return { url: agent.url, close: () => agent.close(), stopMs };
    });
  });
}
