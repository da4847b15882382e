import { startService } from '#service/server.ts';

/** Started by service.ts, which talks to it by messages; it ends when its parent does. */

export interface AskedPages {
  readonly folder: string;
  readonly webDir: string;
}

export interface PagesFacts {
  readonly url: string;
  readonly storageUrl: string;
  /** Of a Portal that takes everything. */
  readonly portalId: string;
  readonly subdomain: string;
  /** Who can sign in. */
  readonly owner: { readonly email: string; readonly password: string };
}

const boundless = Number.MAX_SAFE_INTEGER;
const owner = { email: 'owner@longshore.example', password: 'measured on loopback only', team: 'Bench' };

process.once('disconnect', () => process.exit());
process.once('message', (asked: AskedPages) => {
  start(asked).then(
    (facts) => process.send!(facts),
    (error: unknown) => process.send!({ error: error instanceof Error ? error.message : String(error) }),
  );
});

async function start({ folder, webDir }: AskedPages): Promise<PagesFacts> {
  const service = await startService({
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: folder,
    webDir,
    owner,
    logLevel: 'error',
    limits: { perCredential: boundless, perAddress: boundless, linksPerAddress: boundless, refusalsPerAddress: boundless },
  });
  process.once('SIGTERM', () => void service.close().then(() => process.exit()));
  const { url, storageUrl } = service;
  const auth = await ask<{ token: string; teams: { id: string }[] }>(
    `${url}/v1/auth`,
    { email: owner.email, password: owner.password },
    {},
  );
  const teamId = auth.teams[0]!.id;
  const key = await ask<{ key: string }>(
    `${url}/v1/teams/${teamId}/api_keys`,
    { name: 'Bench', state: 'active' },
    { 'x-user-token': auth.token },
  );
  const portal = await ask<{ id: string; subdomain: string }>(
    `${url}/v1/teams/${teamId}/portals`,
    { name: 'Bench', subdomain: 'bench', active: true },
    { 'x-api-key': key.key },
  );
  return { url, storageUrl, portalId: portal.id, subdomain: portal.subdomain, owner: { email: owner.email, password: owner.password } };
}

async function ask<T>(url: string, body: object, headers: Readonly<Record<string, string>>): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
