import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type Dispatcher, request } from 'undici';
import type { AuthResult, CreatedApiKey } from '#protocol/hosted/accounts.ts';
import { type RunningService, type ServiceOptions, startService } from '#service/server.ts';
import { logsVariable } from '#test/support/run/secret-lines.ts';
import { borrowDatabase, canBorrow } from '#test/support/service/databases/borrow.ts';
import { ownerEmail, ownerPassword, usualOwner } from '#test/support/service/owner.ts';
import { copyStartedFolder } from '#test/support/service/started-folder.ts';
import { type StartedServices, startTwoServices } from '#test/support/service/two-services.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

export { ownerEmail, ownerPassword };

/** An answer of the API as tests look at it; `body` is parsed JSON, or null where there is none. */
export interface TestAnswer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface TestService {
  /** The first, or the only one. */
  readonly service: RunningService;
  /** Each of them: what a test puts into one process it puts into all. */
  readonly services: readonly RunningService[];
  readonly url: string;
  readonly storageUrl: string;
  readonly dataDir: string;
  /** Each service's own. */
  readonly dataDirs: readonly string[];
  /** Of its database, where that is not its own: with `dataDir`, what starts next goes on with its data. */
  readonly databaseUrl?: string;
  readonly teamId: string;
  readonly userId: string;
  readonly userToken: string;
  readonly apiKey: string;
  readonly apiKeyId: string;
  /** Sends a JSON request by plain HTTP, to each service in turn. `headers` go as they are; `body` is serialised unless it is a string. */
  call<T = unknown>(method: string, path: string, options?: CallOptions): Promise<TestAnswer<T>>;
  /** Stops it; what starts at `dataDir` next goes on with its data. */
  stop(): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export function callAt(url: string): TestService['call'] {
  return async <T>(method: string, path: string, { headers = {}, body }: CallOptions = {}) => {
    // Not `fetch`, which costs three times as much: some tests make ten thousand calls.
    const response = await request(url + path, {
      method: method as Dispatcher.HttpMethod,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const answered = new Headers();
    for (const [name, value = ''] of Object.entries(response.headers)) for (const one of [value].flat()) answered.append(name, one);
    const json = answered.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.statusCode, headers: answered, body: (json ? JSON.parse(text) : text || null) as T };
  };
}

/** Calls go to each address in turn. */
function callInTurn(urls: readonly string[]): TestService['call'] {
  const calls = urls.map(callAt);
  let next = 0;
  return (method, path, options) => calls[next++ % calls.length]!(method, path, options);
}

/** How many services a test has where it doesn't say: one, or two in a file that is about a pair (in-pairs.ts). */
export const usualServices: { count: 1 | 2 } = { count: 1 };

export interface TestServiceOptions extends Partial<ServiceOptions> {
  /** Two are a pair over one database and one storage (two-services.ts). */
  readonly processes?: 1 | 2;
  /** With a PostgreSQL of its own, as an operator has who names none. For what is about that: it takes half a second of CPU. */
  readonly privateDatabase?: boolean;
}

/**
 * Starts a real service with local storage, on free ports over a fresh folder: an owner, a Team, a user token and an API
 * key are ready. Unless `dataDir`, `databaseUrl` or `owner` is given, the folder is a copy of one that was started before,
 * so the service has no `firstRun`, and its database is one of the PostgreSQL that all tests share (databases/). Its storage
 * has no thread of its own, which costs a third of a start: what is about that thread says so (`storageInProcess: false`).
 */
export async function startTestService({
  processes = usualServices.count,
  privateDatabase = !canBorrow(),
  ...options
}: TestServiceOptions = {}): Promise<TestService> {
  const folder = await tempFolder();
  const dataDir = options.dataDir ?? join(folder.path, 'data');
  const first = options.dataDir !== undefined || options.databaseUrl !== undefined || options.owner !== undefined;
  const borrowed = first || privateDatabase ? null : await borrowDatabase('started');
  const remove = async () => {
    borrowed?.giveBack();
    await folder.remove();
  };
  try {
    // Not by a program: to start one takes more than a whole copy.
    if (borrowed) cpSync(borrowed.dataDir, dataDir, { recursive: true });
    else if (!first) await copyStartedFolder(dataDir, usualOwner);
    const databaseUrl = options.databaseUrl ?? borrowed?.url;
    const settings = {
      owner: usualOwner,
      ...testLog(),
      storageInProcess: true,
      ...options,
      dataDir,
      ...(databaseUrl !== undefined && { databaseUrl }),
    } as const;
    const started = processes === 1 ? await startOne(settings) : await startTwoServices(settings, join(folder.path, 'second'));
    const { services, storageUrl, dataDirs, close: stop } = started;
    const close = async () => {
      await stop();
      await remove();
    };
    try {
      const call = callInTurn(services.map(({ url }) => url));
      const auth = await call<AuthResult>('POST', '/v1/auth', { body: { email: ownerEmail, password: ownerPassword } });
      const teamId = auth.body.teams[0]!.id;
      const key = await call<CreatedApiKey>('POST', `/v1/teams/${teamId}/api_keys`, {
        headers: { 'x-user-token': auth.body.token },
        body: { name: 'Tests', state: 'active' },
      });
      return {
        service: services[0]!,
        services,
        url: services[0]!.url,
        storageUrl,
        dataDir,
        dataDirs,
        ...(databaseUrl !== undefined && { databaseUrl }),
        teamId,
        userId: auth.body.user.id,
        userToken: auth.body.token,
        apiKey: key.body.key,
        apiKeyId: key.body.id,
        call,
        stop,
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Errors on standard error; in a soak all of it in a file, which is looked through for secrets (run/secret-lines.ts). */
function testLog(): Pick<ServiceOptions, 'logLevel' | 'logFile'> {
  const folder = process.env[logsVariable];
  return folder === undefined ? { logLevel: 'error' } : { logLevel: 'debug', logFile: join(folder, `${randomUUID()}.log`) };
}

async function startOne(options: Omit<ServiceOptions, 'listen'>): Promise<StartedServices> {
  const service = await startService({ listen: { host: '127.0.0.1', port: 0 }, ...options });
  return { services: [service], storageUrl: service.storageUrl, dataDirs: [options.dataDir], close: service.close };
}
