import { Command, Option } from 'commander';
import { type Direction, directions, type Provider, type ProviderName, providerNames, providers } from '#protocol/providers.ts';
import { type End, type ExitCode, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { printable } from '../format.ts';
import { readAuthorization } from '../provider-authorization.ts';
import { stopRequest } from '../signals.ts';

interface CheckFlags {
  readonly provider: ProviderName;
  readonly direction: Direction;
  readonly folder: string;
  readonly field?: readonly string[];
  readonly authorizationFile?: string;
  readonly allowPrivateConnections: boolean;
  readonly json: boolean;
}

/** Kinds that the service reaches itself: a gateway's are reached by an agent. */
const reachable = providerNames.filter((name) => !(providers[name] as Provider).gateway);

const help = `
Does for real what a transfer does, with a small file of its own, and says of each step whether it worked and what to do:
put, list, get, abort, delete; with --direction cloud_to_service list and get alone. It removes what it wrote.

Each field can also come from the environment: client_secret from LONGSHORE_PROVIDER_CLIENT_SECRET, and so on. Secrets come
from there or from the file only, since the command line shows in process lists. What each provider wants, and which
permissions to give: docs/connections.md.

Examples:
  longshore provider check --provider wasabi_s3 --authorization-file wasabi.json
  longshore provider check --provider minio_s3 --field endpoint=https://minio.example.com --field region=default \\
    --field client_id=longshore --field destination=dailies --authorization-file secret.json
  pass show wasabi | longshore provider check --provider wasabi_s3 --authorization-file - --folder "Portal Downloads"

The file: {"client_id": "AKIA…", "client_secret": "…", "destination": "dailies", "region": "eu-central-1"}
${exitCodesHelp(['ok', 'failure', 'usage', 'local', 'interrupted'])}`;

/** `longshore provider …`: other people's storage, tried from the command line. */
export function providerCommand(end: End): Command {
  return new Command('provider').description('Cloud storage that connections lead to.').addCommand(checkCommand(end));
}

function checkCommand(end: End): Command {
  return new Command('check')
    .description('Tries whether a connection to cloud storage would work, step by step.')
    .addOption(new Option('--provider <kind>', 'the kind of storage').choices(reachable).makeOptionMandatory())
    .addOption(
      new Option('--authorization-file <file>', 'file with the fields as a JSON object, or - to read it from stdin').env(
        'LONGSHORE_PROVIDER_AUTHORIZATION_FILE',
      ),
    )
    .addOption(
      new Option('--field <name=value>', 'one field that is no secret; can be given several times').argParser(
        (given: string, before: readonly string[] = []) => [...before, given],
      ),
    )
    .addOption(new Option('--direction <direction>', 'which way files would go').choices(directions).default('service_to_cloud'))
    .addOption(new Option('--folder <path>', 'the folder to try it in').default('', 'the root'))
    .addOption(new Option('--allow-private-connections', 'also connect to loopback and private networks').default(false))
    .addOption(new Option('--json', 'print the report as JSON').default(false))
    .addHelpText('after', help)
    .action(async (flags: CheckFlags) => end(await check(flags)));
}

async function check({ provider: name, direction, folder, json, ...flags }: CheckFlags): Promise<ExitCode> {
  const authorization = await readAuthorization(name, direction, {
    fields: flags.field ?? [],
    file: flags.authorizationFile,
    env: process.env,
  });
  // Loaded lazily, so that `--help` is fast.
  const [{ openProvider }, { checkProvider }, { ProviderError }, { withRetry }, { isPublicAddress }] = await Promise.all([
    import('#providers/all.ts'),
    import('#providers/check.ts'),
    import('#providers/errors.ts'),
    import('#providers/wrappers/retry.ts'),
    import('#net/public-addresses.ts'),
  ]);
  const stop = stopRequest();
  const stopping = new AbortController();
  void stop.asked.then(() => stopping.abort());
  try {
    const environment = {
      mayConnect: (address: string) => flags.allowPrivateConnections || isPublicAddress(address),
      now: () => new Date(),
    };
    const provider = openProvider(name, authorization, environment);
    try {
      const at = folder.replace(/^\/+|\/+$/g, '');
      // Fewer attempts than a transfer has: somebody waits.
      const report = await checkProvider(withRetry(provider, { attempts: 3 }), { direction, folder: at, signal: stopping.signal });
      return print(name, { ok: report.ok, steps: report.steps, notes: report.notes }, json);
    } finally {
      await provider.close();
    }
  } catch (error) {
    if (stopping.signal.aborted) {
      console.error('Stopped. If the storage did not answer, a small file named longshore-check-… is left in the folder.');
      return exitCodes.interrupted;
    }
    // One that cannot even be tried with these fields.
    if (!(error instanceof ProviderError)) throw error;
    const step = direction === 'service_to_cloud' ? 'put' : 'list';
    return print(name, { ok: false, steps: [{ step, ok: false, message: error.message }], notes: [] }, json);
  } finally {
    stop.release();
  }
}

interface Report {
  readonly ok: boolean;
  readonly steps: readonly { readonly step: string; readonly ok: boolean; readonly message: string }[];
  readonly notes: readonly string[];
}

function print(name: ProviderName, report: Report, json: boolean): ExitCode {
  process.stdout.write(`${json ? JSON.stringify(report) : linesOf(name, report).map(printable).join('\n')}\n`);
  return report.ok ? exitCodes.ok : exitCodes.failure;
}

const linesOf = (name: ProviderName, { ok, steps, notes }: Report): string[] => [
  ...steps.map((one) => `${one.step.padEnd(8)}${one.ok ? 'ok' : `failed  ${one.message}`}`),
  ...notes.map((note) => `Note: ${note}`),
  ok
    ? `A connection to ${providers[name].label} with these fields works.`
    : `A connection to ${providers[name].label} with these fields does not work.`,
];
