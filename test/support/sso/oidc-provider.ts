import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { request } from 'undici';

/** What the provider says of an account, by its name. */
export type Accounts = Record<string, Readonly<Record<string, unknown>>>;

export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accounts: Accounts;
  /** Signs an account in at an authorization URL, as a browser would: the query with which the browser comes back. */
  signIn(url: string, account: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * A real OpenID provider (the npm package oidc-provider) on this machine. Its page asks for the name of an account and
 * nothing else; `login_hint` answers it.
 */
export async function startOidcProvider(redirectUris: readonly string[], accounts: Accounts): Promise<OidcProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['longshore', 'a secret of the client'];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [...redirectUris] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] as never },
    cookies: { keys: ['of this test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    pkce: { required: () => true },
    findAccount: (_, id) => (accounts[id] ? { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) } : undefined),
    // Nobody is asked for consent: the company has given it.
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => {
    const { pathname, searchParams } = new URL(req.url!, issuer);
    if (!pathname.startsWith('/interaction/')) return void answer(req, res);
    void (async () => {
      const { params } = await provider.interactionDetails(req, res);
      const accountId = searchParams.get('account') ?? (params['login_hint'] as string | undefined);
      if (accountId !== undefined && accounts[accountId]) return await provider.interactionFinished(req, res, { login: { accountId } });
      if (accountId !== undefined)
        return await provider.interactionFinished(req, res, { error: 'access_denied', error_description: 'no such account' });
      res.setHeader('content-type', 'text/html; charset=utf-8');
      res.end(
        '<!doctype html><title>Company</title><form><label>Account <input name="account" autofocus></label><button>Go on</button></form>',
      );
    })().catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  return {
    issuer,
    clientId,
    clientSecret,
    accounts,
    async signIn(url, account) {
      const cookies = new Map<string, string>();
      const first = new URL(url);
      first.searchParams.set('login_hint', account);
      for (let next = first.href; ; ) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const { statusCode, headers, body } = await request(next, { headers: { cookie } });
        const said = await body.text();
        for (const one of [headers['set-cookie'] ?? []].flat()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!;
          cookies.set(name!, value!);
        }
        if (headers.location === undefined) throw new Error(`The provider answers ${statusCode}: ${said.slice(0, 500)}`);
        next = new URL(String(headers.location), next).href;
        if (!next.startsWith(`${issuer}/`)) return new URL(next).search.slice(1);
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
