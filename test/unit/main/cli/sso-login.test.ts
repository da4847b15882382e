import { createHash } from 'node:crypto';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { ssoInBrowser } from '#main/cli/sso-login.ts';

const serviceUrl = 'https://files.example.com/';
const get = async (url: string) => (await request(url)).statusCode;

describe('a sign-in in the browser', () => {
  it('waits on this machine for the code, with a challenge for which only it has the verifier', async () => {
    let shown = '';
    const proof = await ssoInBrowser({
      serviceUrl,
      address: 'mia@example.com',
      async show(url) {
        shown = url;
        const { redirect_uri: back, state } = Object.fromEntries(new URL(url).searchParams);
        // A page that somebody else has opened knows the port at most.
        expect(await get(`${back}?code=forged&state=wrong`)).toBe(404);
        expect(await get(`${back}?state=${state}`)).toBe(404);
        expect(await get(new URL(`/?code=forged&state=${state}`, back).href)).toBe(404);
        expect(await get(`${back}?code=right&state=${state}`)).toBe(200);
      },
    });
    const { origin, pathname, searchParams } = new URL(shown);
    expect([origin + pathname, searchParams.get('company')]).toEqual(['https://files.example.com/sso/app', 'mia@example.com']);
    expect(new URL(searchParams.get('redirect_uri')!).hostname).toBe('127.0.0.1');
    expect(proof.sso_code).toBe('right');
    expect(searchParams.get('code_challenge')).toBe(createHash('sha256').update(proof.sso_verifier).digest('base64url'));
    // Nobody waits there any more.
    await expect(get(searchParams.get('redirect_uri')!)).rejects.toThrow();
  });

  it('ends if nobody signs in', async () => {
    const login = ssoInBrowser({ serviceUrl, address: undefined, show: async () => undefined, timeoutMilliseconds: 20 });
    await expect(login).rejects.toThrow('in time');
  });
});
