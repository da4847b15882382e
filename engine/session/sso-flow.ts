import { createHash, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { isSsoRefusal, ssoRefusals } from '#protocol/sso-refusals.ts';

/** What is exchanged for a session, once and within a minute. */
export interface SsoProof {
  readonly sso_code: string;
  readonly sso_verifier: string;
}

/** A sign-in through a company that a person goes through in a browser of this machine. */
export interface SsoFlow {
  /** Where the browser begins: an address of the service. */
  readonly url: string;
  /** Rejects with `sso_refused` if the person or the company refuses, if nothing comes in time, or once it is closed. */
  readonly proof: Promise<SsoProof>;
  close(): void;
}

interface SsoFlowOptions {
  readonly serviceUrl: string;
  /** An e-mail address or its domain; asked for in the browser if it is not given. */
  readonly address: string | undefined;
  readonly timeoutMilliseconds?: number | undefined;
}

export const ssoEnds = {
  inTime: 'Nobody signed in in the browser in time. Begin again.',
  cancelled: 'The sign-in was cancelled.',
} as const;

const refused = (detail: string): AgentError => new AgentError('sso_refused', { detail });

/**
 * Waits on this machine for what a browser brings back (contract/sso.md §6). Only whoever has the verifier can use it.
 */
export async function openSsoFlow({ serviceUrl, address, timeoutMilliseconds }: SsoFlowOptions): Promise<SsoFlow> {
  const random = () => randomBytes(32).toString('base64url');
  const [verifier, state] = [random(), random()];
  const { promise, resolve, reject } = Promise.withResolvers<SsoProof>();
  // Nobody may be waiting for it yet, or any more.
  promise.catch(() => undefined);
  // Not from an address of the network: the answer is for this machine alone.
  const server = createServer(({ url, headers }, response) => {
    const texts = texted(headers['accept-language']);
    const { pathname, searchParams } = new URL(url ?? '/', 'http://127.0.0.1');
    const [code, error] = [searchParams.get('code'), searchParams.get('error')];
    // Any page in the browser can send requests here; none knows the state.
    if (pathname !== '/signed-in' || searchParams.get('state') !== state || (code === null && error === null)) {
      return answer(response, 404, texts.language, texts.notFound);
    }
    if (code !== null) {
      answer(response, 200, texts.language, texts.done);
      resolve({ sso_code: code, sso_verifier: verifier });
    } else {
      answer(response, 200, texts.language, texts.refused);
      reject(refused(ssoRefusals[error !== null && isSsoRefusal(error) ? error : 'access_denied']));
    }
    close();
  });
  const timer = setTimeout(
    () => {
      reject(refused(ssoEnds.inTime));
      close();
    },
    timeoutMilliseconds ?? limits.ssoFlowSeconds * 1_000,
  );
  function close(): void {
    clearTimeout(timer);
    server.close();
    server.closeIdleConnections();
    reject(refused(ssoEnds.cancelled));
  }
  try {
    await new Promise<void>((listening, failed) => server.once('error', failed).listen(0, '127.0.0.1', listening));
  } catch (cause) {
    close();
    throw new AgentError('agent_fault', { detail: 'no port of this machine is free' }, { cause });
  }
  const url = new URL(`${serviceUrl.replace(/\/+$/, '')}/sso/app`);
  url.search = new URLSearchParams({
    redirect_uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/signed-in`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    state,
    ...(address !== undefined && { company: address }),
  }).toString();
  return { url: url.href, proof: promise, close };
}

const en = {
  language: 'en',
  notFound: 'Not found.',
  done: 'You are signed in. You can close this window and go back to Longshore.',
  refused: 'You are not signed in. You can close this window and go back to Longshore.',
};
const de: typeof en = {
  language: 'de',
  notFound: 'Das gibt es nicht.',
  done: 'Sie sind angemeldet. Sie können dieses Fenster schließen und zu Longshore zurückgehen.',
  refused: 'Sie sind nicht angemeldet. Sie können dieses Fenster schließen und zu Longshore zurückgehen.',
};
const texted = (wanted: string | undefined): typeof en => (/^de\b/i.test(wanted ?? '') ? de : en);

function answer(response: ServerResponse, status: number, language: string, text: string): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  };
  response.writeHead(status, headers).end(`<!doctype html><html lang="${language}"><title>Longshore</title><p>${text}</p>`);
}
