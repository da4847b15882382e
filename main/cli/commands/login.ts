import { Command, Option } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import type { AgentTeam } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import { ApiError } from '#protocol/errors.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../agent-connection/agent-options.ts';
import { exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../format.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { apiKeyFileOption, parseUrl, readSecret } from '../options.ts';
import { ask, readStdin } from '../prompt.ts';
import { ssoInBrowser } from '../sso-login.ts';
import { printJson } from './admin/print.ts';

interface LoginFlags extends AgentFlags {
  readonly serviceUrl?: string;
  readonly passwordStdin: boolean;
  readonly code?: string;
  readonly apiKeyFile?: string;
  readonly sso?: string | true;
  readonly json: boolean;
}

const help = `
Examples:
  longshore login mia@example.com
  longshore login mia@example.com --password-stdin < password.txt
  longshore login mia@example.com --password-stdin --code 492039 < password.txt
  longshore login --sso mia@example.com
  longshore login --api-key-file ~/.config/longshore/key
  longshore login mia@example.com --service-url https://files.other.example.com

On a terminal it asks for the password without showing it. A password is never an argument: these show in process
lists. Where the account has a second factor it asks for a code of the authenticator app, or a recovery code; --code
gives it without asking. --sso opens the browser, where people sign in through their company. The session is the agent's, which keeps it across restarts. With --service-url it stands beside those that
the agent has already.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'local', 'interrupted'])}`;

/** `longshore login [E-MAIL]`: signs the running agent in. */
export function loginCommand(): Command {
  const command = new Command('login')
    .description('Signs the running agent in to a service.')
    .argument('[e-mail]', 'whom to sign in; asked for on a terminal')
    .addOption(new Option('--password-stdin', 'read the password from stdin').default(false))
    .addOption(new Option('--code <code>', 'code of the authenticator app, or a recovery code: each is good once'))
    .addOption(new Option('--sso [address]', 'sign in through your company in the browser: an e-mail address, or its domain'))
    .addOption(apiKeyFileOption())
    .addOption(new Option('--service-url <url>', "the service (default: the agent's own)").env('LONGSHORE_SERVICE_URL').argParser(parseUrl))
    .addOption(jsonOption());
  return addAgentOptions(command)
    .addHelpText('after', help)
    .action(async (given: string | undefined, flags: LoginFlags) => {
      // An explicit e-mail address overrides an API key of the environment.
      const apiKey = given === undefined ? readSecret(undefined, flags.apiKeyFile, 'API key') : undefined;
      const agent = await openAgent(flags);
      // Checked first, so that nobody types a password when the agent is not running.
      await agent.call('healthz', {});
      const service = flags.serviceUrl === undefined ? {} : { service_url: flags.serviceUrl };
      const code = flags.code === undefined ? {} : { code: flags.code };
      if (flags.sso !== undefined) {
        const proof = await ssoInBrowser({
          serviceUrl: flags.serviceUrl ?? (await agent.call('status', {})).service_url,
          address: flags.sso === true ? given : flags.sso,
          show: showInBrowser,
        });
        return report(await agent.call('createSession', { body: { ...proof, ...service } }), flags.json);
      }
      const session =
        apiKey === undefined
          ? await signInWithCode(agent, { ...(await readAccount(given, flags.passwordStdin)), ...code, ...service })
          : await agent.call('createSession', { body: { api_key: apiKey, ...service } });
      report(session, flags.json);
    });
}

/** Where no browser opens, such as over SSH with a forwarded port, the person opens the address themselves. */
async function showInBrowser(url: string): Promise<void> {
  process.stderr.write(`Sign in in the browser. If none opens, open this address on this machine:\n${url}\n`);
  await openInBrowser(url).catch(() => undefined);
}

/** Signs in; on a terminal it asks for the code where one is needed and none, or a wrong one, was given. */
async function signInWithCode(agent: AgentClient, body: CreateSession): Promise<SignedIn> {
  let code = body.code;
  for (;;) {
    try {
      return await agent.call('createSession', { body: { ...body, ...(code !== undefined && { code }) } });
    } catch (error) {
      const isWrong = error instanceof ApiError && error.error === 'mfa_wrong';
      if (!isWrong && !(error instanceof ApiError && error.error === 'mfa_required')) throw error;
      if (process.stdin.isTTY !== true) throw isWrong ? error : codeMissing(error);
      if (isWrong) process.stderr.write('That code is wrong, or was used already. Type the one that is shown now.\n');
      code = (await ask('Code of the authenticator app, or a recovery code: ', true)).trim();
      if (code === '') throw new CommandError(exitCodes.usage, 'Nothing was typed, so nobody was signed in.');
    }
  }
}

const codeMissing = (cause: Error): CommandError =>
  new CommandError(
    exitCodes.credential,
    'This account has a second factor. Give a code of the authenticator app, or a recovery code, by --code.',
    { cause },
  );

function report(session: SignedIn, json: boolean): void {
  if (json) {
    printJson(session);
    return;
  }
  const who = session.user === null ? 'with an API key' : `as ${printable(session.user.email)}`;
  process.stdout.write(`Signed in ${who} at ${printable(session.service_url)}.${teamsText(session.teams)}\n`);
}

export const teamsText = (teams: readonly AgentTeam[]): string =>
  teams.length === 0
    ? ' No Team yet.'
    : ` ${teams.length === 1 ? 'Team' : 'Teams'}: ${teams.map(({ name }) => printable(name)).join(', ')}.`;

async function readAccount(given: string | undefined, fromStdin: boolean): Promise<{ email: string; password: string }> {
  const terminal = process.stdin.isTTY === true;
  if (given === undefined && (fromStdin || !terminal)) {
    throw new CommandError(exitCodes.usage, 'Say whom to sign in: longshore login E-MAIL, or give --api-key-file.');
  }
  if (!fromStdin && !terminal) {
    throw new CommandError(exitCodes.usage, 'There is no terminal to ask for the password at. Give it by --password-stdin.');
  }
  const email = given ?? (await ask('E-mail: ', false)).trim();
  const password = fromStdin ? await readStdin('password') : await ask(`Password of ${printable(email)}: `, true);
  if (email === '' || password === '') throw new CommandError(exitCodes.usage, 'Nothing was typed, so nobody was signed in.');
  return { email, password };
}
