import { join } from 'node:path';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { ssoInBrowser } from '#main/cli/sso-login.ts';
import type { SsoFinished } from '#protocol/hosted/sso-sign-in.ts';
import { startTestEngine } from '#test/support/engine/start-engine.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { putSso } from '#test/support/sso/connection.ts';
import { startScriptedProvider } from '#test/support/sso/scripted-provider.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const page = { 'x-longshore-page': '1', 'sec-fetch-site': 'same-origin' };

test('an agent is signed in through a company by what the browser brings back', async () => {
  const provider = await startScriptedProvider();
  const service = await startTestService({ processes: 1, allowPrivateSso: true });
  const folder = await tempFolder();
  const engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url });
  try {
    await putSso(service, service.teamId, { issuer: provider.issuer, domain: 'harbour.example' });
    const proof = await ssoInBrowser({
      serviceUrl: service.url,
      address: 'harbour.example',
      // What the pages at this address do (test/e2e/console/sso.test.ts).
      async show(url) {
        const { company: address, ...app } = Object.fromEntries(new URL(url).searchParams);
        const begun = await service.call<{ url: string }>('POST', '/v1/sso/start', { headers: page, body: { company: address, app } });
        expect(begun.status, JSON.stringify(begun.body)).toBe(200);
        const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!;
        const answer = provider.signIn(begun.body.url, { sub: 'mia', email: 'mia@harbour.example', email_verified: true });
        const body = { team_id: service.teamId, answer };
        const { body: finished } = await service.call<SsoFinished>('POST', '/v1/sso/finish', { headers: { ...page, cookie }, body });
        expect((await request(finished.app_redirect!)).statusCode).toBe(200);
      },
    });
    const session = await engine.session.add({ service_url: service.url, ...proof });
    expect(session).toMatchObject({ kind: 'user', state: 'active', login: true, user: { email: 'mia@harbour.example' } });
    expect(session.teams.map(({ id }) => id)).toEqual([service.teamId]);
    await expect(engine.session.add({ service_url: service.url, ...proof })).rejects.toMatchObject({ error: 'sso_refused' });
    await expect(engine.session.add({ service_url: service.url, sso_code: proof.sso_code })).rejects.toMatchObject({
      error: 'invalid_request',
    });
  } finally {
    await engine.close();
    await service.close();
    await provider.close();
    await folder.remove();
  }
});
