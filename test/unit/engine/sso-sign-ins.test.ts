import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createSsoSignIns, type SsoSignIns } from '#engine/session/sso-sign-ins.ts';
import type { CreateSession } from '#protocol/agent/sessions.ts';
import type { SsoSignIn } from '#protocol/agent/sso-sign-ins.ts';
import { ApiError, errorCatalogue } from '#protocol/errors.ts';
import { ssoRefusals } from '#protocol/sso-refusals.ts';
import { miaSignedIn } from '#test/support/engine/fake-engine.ts';

/** Signing the agent in through a company, in a browser of its machine: contract/sso.md §6. */

const made: SsoSignIns[] = [];
const signIns = (add: (request: CreateSession) => Promise<typeof miaSignedIn> = async () => miaSignedIn) => {
  const all = createSsoSignIns({ serviceUrl: 'https://files.example.com', add, now: () => Date.UTC(2026, 10, 20) });
  made.push(all);
  return all;
};
afterEach(() => {
  for (const one of made.splice(0)) one.close();
});

/** What a browser of this machine brings back. */
const comesBack = async (url: string, answer: Record<string, string>, language = 'en'): Promise<string> => {
  const { redirect_uri: back = '', state = '' } = Object.fromEntries(new URL(url).searchParams);
  const { body } = await request(`${back}?${new URLSearchParams({ state, ...answer })}`, { headers: { 'accept-language': language } });
  return body.text();
};

describe('a sign-in through a company', () => {
  it('adds the session once the browser comes back', async () => {
    const asked: CreateSession[] = [];
    const all = signIns(async (request) => {
      asked.push(request);
      return miaSignedIn;
    });
    const begun = await all.start({ service_url: 'https://files.other.example', address: 'other.example' });
    expect(begun).toMatchObject({ state: 'waiting', expires_at: '2026-11-20T00:10:00.000Z' });
    expect(new URL(begun.url).origin + new URL(begun.url).pathname).toBe('https://files.other.example/sso/app');
    expect(new URL(begun.url).searchParams.get('company')).toBe('other.example');
    expect(await comesBack(begun.url, { code: 'c' }, 'de-DE,de;q=0.9')).toContain('Sie sind angemeldet.');
    await expect.poll(() => all.get(begun.id)).toMatchObject({ state: 'done', session: { id: miaSignedIn.id } });
    expect(asked).toMatchObject([{ service_url: 'https://files.other.example', sso_code: 'c' }]);
  });

  it.each([
    ['login_required', ssoRefusals.login_required],
    ['<script>', ssoRefusals.access_denied],
  ])('fails in words where the company says %s', async (error, said) => {
    const all = signIns();
    const { id, url } = await all.start({});
    expect(await comesBack(url, { error })).toContain('You are not signed in.');
    await expect
      .poll(() => all.get(id))
      .toMatchObject({ state: 'failed', error: { code: errorCatalogue.sso_refused.code, message: said } });
  });

  it('fails as the exchange at the service does', async () => {
    const all = signIns(async () => {
      throw new ApiError('team_inactive');
    });
    const { id, url } = await all.start({});
    await comesBack(url, { code: 'c' });
    await expect.poll(() => all.get(id)).toMatchObject({ state: 'failed', error: { code: errorCatalogue.team_inactive.code } });
  });

  it('waits no more once it is cancelled, or four others were begun after it', async () => {
    const all = signIns();
    const first = await all.start({});
    all.cancel(first.id);
    all.cancel(first.id);
    expect(() => all.get(first.id)).toThrow();
    await expect(comesBack(first.url, { code: 'c' })).rejects.toThrow();
    const begun: SsoSignIn[] = [];
    for (let count = 0; count < 5; count++) begun.push(await all.start({}));
    expect(() => all.get(begun[0]!.id)).toThrow();
    expect(begun.slice(1).map(({ id }) => all.get(id).state)).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
  });

  it('needs the address of a service', async () => {
    await expect(signIns().start({ service_url: 'ftp://x' })).rejects.toMatchObject({ error: 'invalid_request' });
  });
});
