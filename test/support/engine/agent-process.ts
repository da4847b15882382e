import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openVault } from '#engine/secrets/vault.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { endsWithUs } from '../system/ends-with-us.ts';

const cli = fileURLToPath(new URL('../../../main/cli/longshore.js', import.meta.url));

/** A real agent in a process of its own, called over its local API. */
export interface AgentProcess {
  readonly url: string;
  readonly pid: number;
  post(path: string, body: unknown): Promise<AgentTransfer>;
  /** Any other call below `/api/v1`; `undefined` where the answer has no body. */
  call<T = undefined>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** Follows the transfer by the agent's events until it is as wanted; rejects when the agent dies first. */
  when(id: string, wanted: (transfer: AgentTransfer) => boolean): Promise<AgentTransfer>;
  /** Resolves when it is gone, for any reason. */
  readonly ended: Promise<unknown>;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface AgentProcessOptions {
  readonly dataDir: string;
  readonly serviceUrl: string;
  readonly apiKey?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another user that it runs as. */
  readonly uid?: number;
}

export async function startAgentProcess({ dataDir, serviceUrl, apiKey, env, uid }: AgentProcessOptions): Promise<AgentProcess> {
  const { LONGSHORE_VAULT_KEY: _, ...inherited } = process.env;
  const isOurs = uid === undefined;
  if (isOurs) makeVault(join(dataDir, 'agent'));
  const args = [cli, 'agent', '--listen', '127.0.0.1:0', '--data-dir', dataDir, '--service-url', serviceUrl];
  // One that a test has stopped or that hangs would not see a gentler signal.
  const child = spawn(...endsWithUs(process.execPath, args, 'KILL'), {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid }),
    env: {
      ...inherited,
      ...(!isOurs && { LONGSHORE_VAULT_KEY: 'a key for tests alone' }),
      ...env,
      ...(apiKey === undefined ? {} : { LONGSHORE_API_KEY: apiKey }),
    },
  });
  const ended = once(child, 'exit');
  const url = await addressOf(child);

  const ask = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, init);
    const body = (response.status === 204 ? undefined : await response.json()) as T;
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${JSON.stringify(body)}`);
    return body;
  };

  return {
    url,
    pid: child.pid!,
    call: (method, path, body) =>
      ask(path, { method, ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) }),
    post: (path, body) => ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    async when(id, wanted) {
      const stop = new AbortController();
      try {
        const events = await fetch(`${url}/api/v1/events`, { signal: stop.signal });
        const stream = events.body![Symbol.asyncIterator]();
        for (;;) {
          const transfer = await ask<AgentTransfer>(`/transfers/${id}`);
          if (wanted(transfer)) return transfer;
          if ((await stream.next()).done) throw new Error('The agent ended.');
        }
      } finally {
        stop.abort();
      }
    },
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** With a key beside it: one that is opened by words takes a seventh of an agent's start. */
function makeVault(folder: string): void {
  if (existsSync(join(folder, 'vault.json'))) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  openVault(folder, undefined);
}

/** The one line that an agent prints when it is ready. */
async function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  let complaints = '';
  child.stderr!.on('data', (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  for await (const bytes of child.stdout!) {
    output += String(bytes);
    const address = /http:\/\/[^\s/]+/.exec(output);
    if (address) {
      child.stdout!.resume();
      return address[0];
    }
  }
  throw new Error(`The agent did not start: ${complaints}`);
}
