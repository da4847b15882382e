import { createHash, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from '#protocol/limits.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';

/** What an agent exchanges for a session, once and within a minute. */
export interface SsoProof {
  readonly sso_code: string;
  readonly sso_verifier: string;
}

interface SsoLogin {
  readonly serviceUrl: string;
  /** An e-mail address or its domain; asked for in the browser if it is not given. */
  readonly address: string | undefined;
  /** Shows an address of the service in the person's browser. */
  readonly show: (url: string) => Promise<void>;
  readonly timeoutMilliseconds?: number;
}

/**
 * Has a person sign in through their company in the browser, and waits on this machine for what comes back
 * (docs/contract/sso.md §6). Only whoever has the verifier can use the code.
 *
 * @throws CommandError if nothing comes in time
 */
export async function ssoInBrowser({ serviceUrl, address, show, timeoutMilliseconds }: SsoLogin): Promise<SsoProof> {
  const random = () => randomBytes(32).toString('base64url');
  const [verifier, state] = [random(), random()];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // Not from an address of the network: the answer is for this machine alone.
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const code = searchParams.get('code');
    // Any page in the browser can send requests here; none knows the state.
    if (pathname !== '/signed-in' || searchParams.get('state') !== state || code === null) return answer(response, 404, 'Not found.');
    answer(response, 200, 'You are signed in. You can close this window and go back to Longshore.');
    resolve(code);
  });
  server.on('error', reject);
  const timer = setTimeout(
    () => reject(new CommandError(exitCodes.credential, 'Nobody signed in in the browser in time. Run the command again.')),
    timeoutMilliseconds ?? limits.ssoFlowSeconds * 1_000,
  );
  try {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = new URL(`${serviceUrl.replace(/\/+$/, '')}/sso/app`);
    url.search = new URLSearchParams({
      redirect_uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/signed-in`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      state,
      ...(address !== undefined && { company: address }),
    }).toString();
    await show(url.href);
    return { sso_code: await promise, sso_verifier: verifier };
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeIdleConnections();
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  };
  response.writeHead(status, headers).end(`<!doctype html><title>Longshore</title><p>${text}</p>`);
}
