import type { Configuration, CustomFetchOptions } from 'openid-client';
import { ApiError } from '#protocol/errors.ts';
import { OutboundError } from '../http/outbound.ts';
import type { SsoFlow } from './flow.ts';
import type { SsoHttp } from './ports.ts';

/** Loaded at the first use: most services have no single sign-on, and a start is mostly loading. */
const library = () => import('openid-client');

/** A provider's documents and answers are some kB; keys and groups can make them larger. */
const maxAnswerBytes = 512 * 1024;
/** Seconds by which clocks may differ. */
const clockTolerance = 60;
const maxGroups = 2_000;

export interface Client {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  readonly groupClaim: string;
}

/** Who somebody is, as their company's provider says. */
export interface SsoPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Empty if the provider says none. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly groups: readonly string[];
}

/** What is in a discovery document. Errors: `sso_provider_failed`. */
export async function discover(http: SsoHttp, issuer: string) {
  const metadata = (await configure(http, { issuer, clientId: 'longshore', clientSecret: null })).serverMetadata();
  return {
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorization_endpoint ?? '',
    token_endpoint: metadata.token_endpoint ?? '',
    scopes_supported: texts(metadata.scopes_supported),
    claims_supported: texts(metadata.claims_supported),
  };
}

/** Where a browser goes to sign in. Errors: `sso_provider_failed`. */
export async function authorizationUrl(http: SsoHttp, client: Client, flow: SsoFlow, redirectUri: string): Promise<string> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
  const config = await configure(http, client);
  const url = buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: [...new Set(['openid', ...client.scopes])].join(' '),
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

/**
 * Exchanges the code in the provider's answer, and checks the ID token: signature, issuer, audience, nonce and times.
 * `answer` is the query of the callback's address. Errors: `sso_refused` for an answer that does not belong to the flow,
 * or says that the provider has refused; `sso_provider_failed`.
 */
export async function provenPerson(
  http: SsoHttp,
  client: Client,
  flow: SsoFlow,
  { redirectUri, answer }: { readonly redirectUri: string; readonly answer: string },
): Promise<SsoPerson> {
  const { authorizationCodeGrant, fetchUserInfo } = await library();
  const config = await configure(http, client);
  const callback = new URL(redirectUri);
  callback.search = answer;
  try {
    const tokens = await authorizationCodeGrant(config, callback, {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    // Many providers say the rest there only.
    const isComplete = claims['email'] !== undefined && (client.groupClaim === '' || claims[client.groupClaim] !== undefined);
    const asks = !isComplete && config.serverMetadata().userinfo_endpoint !== undefined;
    const more = asks ? await fetchUserInfo(config, tokens.access_token, claims.sub) : {};
    return toPerson({ ...more, ...claims }, client);
  } catch (error) {
    throw await toFailure(error);
  }
}

function toPerson(claims: Readonly<Record<string, unknown>>, { groupClaim }: Client): SsoPerson {
  const groups = groupClaim === '' ? [] : claims[groupClaim];
  return {
    issuer: String(claims['iss']),
    subject: String(claims['sub']),
    email: textOf(claims['email']),
    // Some providers write it as a text.
    emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
    name: textOf(claims['name']),
    groups: texts(typeof groups === 'string' ? [groups] : groups).slice(0, maxGroups),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

async function configure(http: SsoHttp, client: Pick<Client, 'issuer' | 'clientId' | 'clientSecret'>): Promise<Configuration> {
  const oidc = await library();
  const { issuer, clientId, clientSecret } = client;
  try {
    const config = await oidc.discovery(
      new URL(issuer),
      clientId,
      { [oidc.clockTolerance]: clockTolerance },
      clientSecret === null ? oidc.None() : await clientAuthentication(clientSecret),
      {
        [oidc.customFetch]: (url: string, options: CustomFetchOptions) => fetchOutside(http, url, options),
        execute: [oidc.enableNonRepudiationChecks, ...(http.allowsPlainHttp ? [oidc.allowInsecureRequests] : [])],
        timeout: 30,
      },
    );
    // Addresses for all tenants of a provider say another issuer: anybody could make a tenant, and be whoever they like.
    const stated = config.serverMetadata().issuer;
    if (!URL.canParse(stated) || new URL(stated).href !== new URL(issuer).href) {
      throw new ApiError('sso_provider_failed', { detail: `its discovery document is that of another issuer, ${stated.slice(0, 200)}.` });
    }
    return config;
  } catch (error) {
    throw await toFailure(error);
  }
}

/** By Basic where the provider says nothing, as OpenID Connect has it; by the body where it takes only that. */
async function clientAuthentication(secret: string) {
  const { ClientSecretBasic, ClientSecretPost } = await library();
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return ((server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const takesBasic = methods === undefined || methods.includes('client_secret_basic');
    return takesBasic ? basic(server, client, body, headers) : post(server, client, body, headers);
  }) satisfies typeof basic;
}

/** The library's HTTP: to public addresses only, bounded, and without following redirects. */
async function fetchOutside(http: SsoHttp, url: string, { method, headers, body, signal }: CustomFetchOptions): Promise<Response> {
  const text = body === undefined || body === null ? undefined : String(body);
  const call = { url, method: method === 'POST' ? 'POST' : 'GET', headers, ...(text !== undefined && { body: text }) } as const;
  const answer = await http.exchange(call, maxAnswerBytes, signal ?? new AbortController().signal);
  const answered = new Headers();
  for (const [name, value = ''] of Object.entries(answer.headers)) for (const one of [value].flat()) answered.append(name, one);
  const isEmpty = answer.status === 204 || answer.status === 205 || answer.status === 304;
  return new Response(isEmpty ? null : new Uint8Array(answer.bytes), { status: answer.status, headers: answered });
}

/** What is said of a failure: to people of the Team and to whoever signs in, so without a secret and without what others wrote at length. */
async function toFailure(error: unknown): Promise<unknown> {
  if (error instanceof ApiError) return error;
  const { AuthorizationResponseError, ResponseBodyError, ClientError } = await library();
  const outbound = causes(error).find((one) => one instanceof OutboundError);
  if (outbound) return failed(outbound.message, error);
  if (error instanceof AuthorizationResponseError) {
    return new ApiError(
      'sso_refused',
      { detail: `Your company's sign-in has refused: ${said(error.error_description ?? error.error)}` },
      { cause: error },
    );
  }
  if (error instanceof ResponseBodyError) return failed(`it answers ${said(error.error_description ?? error.error)}`, error);
  if (error instanceof ClientError || error instanceof TypeError) {
    const [, inner] = causes(error);
    const detail = inner instanceof Error ? `${error.message}: ${inner.message}` : error.message;
    return failed(said(detail), error);
  }
  return error;
}

const failed = (detail: string, cause: unknown) => new ApiError('sso_provider_failed', { detail }, { cause });

const said = (text: string): string =>
  `${text
    .replace(/[^\x20-\x7e]/g, ' ')
    .slice(0, 300)
    .replace(/\.$/, '')}.`;

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one instanceof Error && chain.length < 5; one = one.cause) chain.push(one);
  return chain;
}
