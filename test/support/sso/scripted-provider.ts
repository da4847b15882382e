import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** What a provider says of somebody, besides what every ID token has. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

interface Begun {
  readonly claims: Claims;
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly clientId: string;
}

/** What it does otherwise than a provider should. Each is given what it would have sent. */
export interface Misbehaviour {
  readonly metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  readonly idToken?: (claims: JWTPayload) => JWTPayload;
  /** The signed token. */
  readonly signed?: (token: string) => string;
  /** Answers itself; false: as usual. */
  readonly answer?: (path: string, response: ServerResponse) => boolean;
}

/** A provider without pages: people are signed in by the test. For what a real one never does, and where it is not the point. */
export interface ScriptedProvider {
  readonly issuer: string;
  misbehaves: Misbehaviour;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** Signs somebody in at an authorization URL: the query with which the browser comes back. */
  signIn(url: string, claims: Claims): string;
  close(): Promise<void>;
}

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const begun = new Map<string, Begun>();
  const json = (response: ServerResponse, status: number, body: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = new URLSearchParams(await text(request));
    const code = sent.get('code') ?? '';
    const one = begun.get(code);
    begun.delete(code);
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    if (!one || one.challenge !== challenge || one.redirectUri !== sent.get('redirect_uri')) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: provider.issuer, aud: one.clientId, iat: now, exp: now + 300, nonce: one.nonce, ...one.claims };
    const { idToken = (claims) => claims, signed = (token) => token } = provider.misbehaves;
    const made = await new SignJWT(idToken(usual)).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
    json(response, 200, { access_token: randomBytes(8).toString('hex'), token_type: 'Bearer', expires_in: 300, id_token: signed(made) });
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, provider.issuer);
    provider.asked.push(pathname);
    if (provider.misbehaves.answer?.(pathname, response)) return;
    if (pathname === '/.well-known/openid-configuration') {
      const { metadata = (usual) => usual } = provider.misbehaves;
      return json(
        response,
        200,
        metadata({
          issuer: provider.issuer,
          authorization_endpoint: `${provider.issuer}/authorize`,
          token_endpoint: `${provider.issuer}/token`,
          jwks_uri: `${provider.issuer}/keys`,
          id_token_signing_alg_values_supported: ['ES256'],
          authorization_response_iss_parameter_supported: true,
          scopes_supported: ['openid', 'email'],
        }),
      );
    }
    if (pathname === '/keys') return json(response, 200, { keys: [jwk] });
    if (pathname === '/token') return void token(request, response);
    json(response, 404, { error: 'not_found' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: ScriptedProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    misbehaves: {},
    asked: [],
    signIn(url, claims) {
      const { searchParams: sent } = new URL(url);
      const code = randomBytes(16).toString('hex');
      begun.set(code, {
        claims,
        nonce: sent.get('nonce')!,
        challenge: sent.get('code_challenge')!,
        redirectUri: sent.get('redirect_uri')!,
        clientId: sent.get('client_id')!,
      });
      return new URLSearchParams({ code, state: sent.get('state')!, iss: provider.issuer }).toString();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
