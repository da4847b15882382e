import { join } from 'node:path';
import type { AuthResult, CreatedApiKey } from '#protocol/hosted/accounts.ts';
import { type RunningService, type ServiceOptions, startService } from '#service/server.ts';
import { copyStartedFolder } from '#test/support/started-folder.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

export const ownerEmail = 'owner@example.com';
export const ownerPassword = 'correct horse battery staple';

/** An answer of the API as tests look at it; `body` is parsed JSON, or null where there is none. */
export interface TestAnswer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface TestService {
  readonly service: RunningService;
  readonly url: string;
  readonly storageUrl: string;
  readonly dataDir: string;
  readonly teamId: string;
  readonly userId: string;
  readonly userToken: string;
  readonly apiKey: string;
  readonly apiKeyId: string;
  /** Sends a JSON request by plain HTTP. `headers` go as they are; `body` is serialised unless it is a string. */
  call<T = unknown>(method: string, path: string, options?: CallOptions): Promise<TestAnswer<T>>;
  /** Closes it and removes its data. */
  close(): Promise<void>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export function callAt(url: string): TestService['call'] {
  return async <T>(method: string, path: string, { headers = {}, body }: CallOptions = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text || null) as T };
  };
}

/**
 * Starts a real service with a private PostgreSQL and local storage, on free ports over a fresh folder: an
 * owner, a Team, a user token and an API key are ready. Unless `dataDir`, `databaseUrl` or `owner` is given, the
 * folder is a copy of one that was started before, so the service has no `firstRun`.
 */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const folder = await tempFolder();
  const dataDir = options.dataDir ?? join(folder.path, 'data');
  const owner = { email: ownerEmail, password: ownerPassword, team: 'Harbour' };
  try {
    const first = options.dataDir !== undefined || options.databaseUrl !== undefined || options.owner !== undefined;
    if (!first) await copyStartedFolder(dataDir, owner);
    const service = await startService({
      listen: { host: '127.0.0.1', port: 0 },
      dataDir,
      owner,
      logLevel: 'error',
      ...options,
    });
    const close = async () => {
      await service.close();
      await folder.remove();
    };
    try {
      const call = callAt(service.url);
      const auth = await call<AuthResult>('POST', '/v1/auth', { body: { email: ownerEmail, password: ownerPassword } });
      const teamId = auth.body.teams[0]!.id;
      const key = await call<CreatedApiKey>('POST', `/v1/teams/${teamId}/api_keys`, {
        headers: { 'x-user-token': auth.body.token },
        body: { name: 'Tests', state: 'active' },
      });
      return {
        service,
        url: service.url,
        storageUrl: service.storageUrl,
        dataDir,
        teamId,
        userId: auth.body.user.id,
        userToken: auth.body.token,
        apiKey: key.body.key,
        apiKeyId: key.body.id,
        call,
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
