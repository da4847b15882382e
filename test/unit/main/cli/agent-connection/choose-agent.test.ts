import { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentHandle } from '#main/cli/agent-connection/agent-handle.ts';
import { agentChoiceOf } from '#main/cli/agent-connection/choose-agent.ts';
import { addAgentConnectionOptions } from '#main/cli/agent-connection/connection-options.ts';
import { senderFor } from '#main/cli/agent-connection/sender.ts';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { AgentError } from '#protocol/errors.ts';

/** What was named does the work, with the service that was named, or the command says why not. */

const names = ['LONGSHORE_AGENT_URL', 'LONGSHORE_API_KEY', 'LONGSHORE_API_KEY_FILE', 'LONGSHORE_SERVICE_URL'] as const;
afterEach(() => void vi.unstubAllEnvs());

function wanted(args: string, env: Partial<Record<(typeof names)[number], string>> = {}) {
  for (const name of names) vi.stubEnv(name, env[name]);
  const command = addAgentConnectionOptions(new Command('send'));
  command.exitOverride().parse(args.split(' ').filter(Boolean), { from: 'user' });
  return agentChoiceOf(command);
}

const elsewhere = 'http://127.0.0.1:9999';
const agent = { kind: 'running', url: elsewhere };

describe('what does the work', () => {
  it.each([
    ['nothing given', '', {}, { kind: 'detect' }],
    ['an agent typed', `--agent-url ${elsewhere}`, {}, agent],
    ['an agent in the environment', '', { LONGSHORE_AGENT_URL: elsewhere }, agent],
    ['--no-agent', '--no-agent', {}, { kind: 'in_process' }],
    ['--no-agent outweighs the environment', '--no-agent', { LONGSHORE_AGENT_URL: elsewhere }, { kind: 'in_process' }],
    ['a key typed', '--api-key-file key', {}, { kind: 'in_process' }],
    ['a key in the environment', '', { LONGSHORE_API_KEY: 'k' }, { kind: 'in_process' }],
    ['a key typed outweighs an agent in the environment', '--api-key k', { LONGSHORE_AGENT_URL: elsewhere }, { kind: 'in_process' }],
    ['an agent typed outweighs a key in the environment', `--agent-url ${elsewhere}`, { LONGSHORE_API_KEY_FILE: 'key' }, agent],
    ['both in the environment', '', { LONGSHORE_AGENT_URL: elsewhere, LONGSHORE_API_KEY: 'k' }, agent],
  ])('%s', (_, args, env, choice) => {
    expect(wanted(args, env).choice).toEqual(choice);
  });

  it.each([
    [`--no-agent --agent-url ${elsewhere}`, /--agent-url or --no-agent/],
    [`--agent-url ${elsewhere} --api-key k`, /--agent-url or an API key/],
  ])('%s is refused', (args, message) => {
    expect(() => wanted(args)).toThrow(expect.objectContaining({ code: 2, message: expect.stringMatching(message) }));
  });

  it.each([
    ['', {}, null],
    ['--service-url https://files.example.com/', {}, 'https://files.example.com'],
    ['', { LONGSHORE_SERVICE_URL: 'https://files.example.com' }, 'https://files.example.com'],
  ])('the service of %j', (args, env, serviceUrl) => {
    expect(wanted(args, env).serviceUrl).toBe(serviceUrl);
  });
});

describe('which session sends', () => {
  const session = (id: string, changes: Partial<SignedIn>): SignedIn => ({
    id,
    service_url: 'http://127.0.0.1:8080',
    kind: 'user',
    state: 'active',
    login: false,
    user: null,
    teams: [{ id: `team of ${id}` } as SignedIn['teams'][number]],
    ...changes,
  });
  const agentWith = (...sessions: SignedIn[]): AgentHandle =>
    ({
      url: elsewhere,
      session: {
        current: async () => ({ user: { id: 'u', email: 'mia@example.com', name: 'Mia' }, teams: sessions[0]!.teams }),
        list: async () => sessions,
      },
    }) as unknown as AgentHandle;
  const [own, other] = [session('own', { login: true }), session('other', { service_url: 'https://files.example.com' })];

  it('is the login where no service was named', async () => {
    const sender = await senderFor(agentWith(own, other), null);
    expect([sender.teams, sender.sessionFor('team of own')]).toEqual([own.teams, undefined]);
  });

  it('is that with the service that was named', async () => {
    const sender = await senderFor(agentWith(own, other), 'https://files.example.com/');
    expect([sender.teams, sender.sessionFor('team of other')]).toEqual([other.teams, 'other']);
  });

  it('is the first of two with that service that are in the Team', async () => {
    const second = { ...other, id: 'second' };
    const sender = await senderFor(agentWith(own, other, second), 'https://files.example.com');
    expect([sender.teams, sender.sessionFor('team of other')]).toEqual([other.teams, 'other']);
  });

  it.each([
    ['is not signed in to https://files.example.com', [own]],
    ['session with https://files.example.com has ended', [own, { ...other, state: 'ended' as const }]],
  ])('is none where the agent %s', async (why, sessions) => {
    const refusal = await senderFor(agentWith(...sessions), 'https://files.example.com').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 3, message: expect.stringContaining(why) });
  });

  it.each([
    [
      'names the other service where it is signed in there alone',
      [other],
      { code: 3, message: expect.stringContaining('--service-url https://files.example.com,') },
    ],
    ['is that nobody is signed in, where nobody is', [{ ...other, state: 'ended' as const }], { error: 'session_is_nil' }],
  ])('the refusal %s', async (_, sessions, expected) => {
    const signedOut = agentWith(...sessions);
    const current = () => Promise.reject(new AgentError('session_is_nil'));
    const refusal = await senderFor({ ...signedOut, session: { ...signedOut.session, current } }, null).catch((error: unknown) => error);
    expect(refusal).toMatchObject(expected);
  });

  it('keeps the reason of a sign-in to its own service that failed', async () => {
    const failed = new AgentError('session_is_nil', {}, { cause: new Error('The key was revoked.') });
    const agent = agentWith(other);
    const current = () => Promise.reject(failed);
    await expect(senderFor({ ...agent, session: { ...agent.session, current } }, null)).rejects.toBe(failed);
  });
});
