/**
 * Follows the agent's events, and runs a program for each transfer that ends.
 *
 *   node watch.ts PROGRAM [ARGUMENT…]
 *
 * The program gets the transfer's state, kind and id as further arguments: `complete upload 019a…`. It continues after
 * a restart of the agent, and ends by Ctrl-C.
 *
 * The agent: LONGSHORE_AGENT_URL (default http://127.0.0.1:8090), LONGSHORE_AGENT_TOKEN where it requires a token.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentAt, followEvents, hasEnded } from '@longshore/sdk';

const [program, ...given] = process.argv.slice(2);
if (program === undefined) throw new Error('Give the program to run.');

const agent = agentAt(process.env.LONGSHORE_AGENT_URL ?? 'http://127.0.0.1:8090', { token: process.env.LONGSHORE_AGENT_TOKEN });
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

/** Transfers whose end was seen. An ended transfer can change again, for example when its link is shown. */
const ended = new Set<string>();

await followEvents(agent, {
  signal: stop.signal,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
  onSignal(signal) {
    if (signal.type === 'connected') console.error('Watching.');
    if (signal.type === 'disconnected') console.error(`${signal.failure.message} Trying again in ${signal.retryInMs} ms.`);
    if (signal.type !== 'events') return;
    for (const event of signal.events) {
      if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') continue;
      const { id, kind, state } = event.transfer;
      // A transfer that is retried ends once more.
      if (!hasEnded(event.transfer)) ended.delete(id);
      else if (!ended.has(id)) {
        ended.add(id);
        spawn(program, [...given, state, kind, id], { stdio: 'inherit' }).on('error', (error) => console.error(error.message));
      }
    }
  },
});
