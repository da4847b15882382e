import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentHandle } from '#main/cli/agent-connection/agent-handle.ts';
import { runTransfer } from '#main/cli/agent-connection/run-transfer.ts';
import type { StopRequest } from '#main/cli/signals.ts';
import { LateStopError } from '#net/stop-within.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { fakeEngine, fakeTransfer } from '../../../../support/engine/fake-engine.ts';

function setting(agentUrl = '') {
  const engine = fakeEngine();
  const closed = vi.fn(async () => undefined);
  const released = vi.fn();
  const asked = Promise.withResolvers<'SIGINT'>();
  const session = { current: engine.session.current, list: async () => engine.session.list() };
  const { find, continue: goOn } = engine.handovers;
  const unasked = () => Promise.reject(new Error('not asked'));
  const handovers = { continue: goOn, find, preview: unasked, match: unasked };
  const agent: AgentHandle = { url: agentUrl, session, transfers: engine.transfers, handovers, close: closed };
  const stop: StopRequest = { asked: asked.promise, release: released };
  const begin = async (changes: Partial<AgentTransfer>) => {
    const transfer = fakeTransfer(changes);
    engine.store.set(transfer.id, transfer);
    return transfer;
  };
  return { engine, agent, stop, begin, closed, released, interrupt: () => asked.resolve('SIGINT') };
}

let said: string[];
beforeEach(() => {
  said = [];
  vi.spyOn(console, 'error').mockImplementation((text) => void said.push(String(text)));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  return () => vi.restoreAllMocks();
});

describe('a command that waits for its transfer', () => {
  it('gives it when it is complete, and closes the connection', async () => {
    const { agent, stop, begin, closed, released } = setting();
    expect(await runTransfer(agent, () => begin({ state: 'complete' }), 'upload', stop)).toMatchObject({ id: 'tr1', state: 'complete' });
    expect([closed.mock.calls.length, released.mock.calls.length]).toEqual([1, 1]);
  });

  it('fails by its error, with the exit code of that', async () => {
    const { agent, stop, begin, closed } = setting();
    const error = { code: errorCatalogue.link_expired.code, message: 'This link has expired.', retryable: false };
    const run = runTransfer(agent, () => begin({ state: 'error', error }), 'download', stop);
    await expect(run).rejects.toMatchObject({ code: 5, message: 'This link has expired.' });
    expect(closed).toHaveBeenCalledOnce();
  });

  it('says when somebody cancelled it on the agent', async () => {
    const { agent, stop, begin } = setting('http://agent');
    await expect(runTransfer(agent, () => begin({ state: 'cancelled' }), 'upload', stop)).rejects.toMatchObject({
      code: 1,
      message: 'The upload was cancelled on the agent.',
    });
  });

  it.each([
    ['', 'Stopped. The upload is written down: run the same command again, and it goes on where it was.'],
    ['http://agent', 'The upload goes on without this command, on the agent at http://agent.'],
  ])('leaves it on Ctrl-C, with the agent at %j', async (agentUrl, words) => {
    const { agent, stop, begin, closed, interrupt } = setting(agentUrl);
    const run = runTransfer(
      agent,
      async () => {
        setImmediate(interrupt);
        return begin({ state: 'transferring' });
      },
      'upload',
      stop,
    );
    expect(await run).toBe(130);
    expect(said).toEqual([words]);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('lets a person leave while nothing answers', async () => {
    const { agent, stop, closed, interrupt } = setting();
    const run = runTransfer(agent, () => new Promise(() => undefined), 'download', stop);
    interrupt();
    expect(await run).toBe(130);
    expect(said).toEqual(['Stopped while the download was being begun.']);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('says what does not stop, and ends as an interruption all the same', async () => {
    const { agent, stop, closed, interrupt } = setting();
    closed.mockRejectedValueOnce(new LateStopError('The transfer engine has not stopped within 9 s.'));
    const run = runTransfer(agent, () => new Promise(() => undefined), 'download', stop);
    interrupt();
    expect(await run).toBe(130);
    expect(said).toEqual(['Stopped while the download was being begun.', 'The transfer engine has not stopped within 9 s.']);
  });

  it('passes on what kept it from beginning, and closes the connection', async () => {
    const { agent, stop, closed } = setting();
    await expect(runTransfer(agent, () => Promise.reject(new Error('No disk.')), 'download', stop)).rejects.toThrow('No disk.');
    expect(closed).toHaveBeenCalledOnce();
  });
});
