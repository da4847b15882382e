import { printable } from '#protocol/printable.ts';

/**
 * What helps: `soon`, the same request after a pause; `renew`, the same request once more after `CloudProvider.renew`
 * (signing in again, learning the region); `never`, somebody has to act first.
 */
export type Retry = 'soon' | 'renew' | 'never';

/**
 * What failed. `connection`: its credentials, its destination or its account, so that every other request fails as well and
 * the connection's state becomes `error`. `file`: this request alone. `network`: neither.
 */
export type Blame = 'connection' | 'file' | 'network';

interface Kind {
  readonly retry: Retry;
  readonly blame: Blame;
}

const soon = { retry: 'soon', blame: 'network' } as const;
const renew = { retry: 'renew', blame: 'connection' } as const;
const connection = { retry: 'never', blame: 'connection' } as const;
const file = { retry: 'never', blame: 'file' } as const;

/** Every way in which a provider fails. */
const kinds = {
  /** No connection, or it broke, or nothing came in time. */
  unreachable: soon,
  /** The provider asks for patience: 429, 500, 502, 503, 504. */
  busy: soon,
  /** The bytes that arrived are not those that were sent; the provider has dropped them. */
  corrupted: soon,
  /** An answer that makes no sense, or is too long. */
  bad_answer: soon,
  /** A token or a part's address is over. */
  expired: renew,
  /** The bucket lies in another region than was said. */
  wrong_region: renew,
  /** The provider does not know these credentials, or they were withdrawn. */
  credentials_refused: connection,
  /** The credentials are good, but may not do this. */
  forbidden: connection,
  /** No such bucket, container, folder or project. */
  no_destination: connection,
  /** The account, its quota or its disk is full. */
  full: connection,
  /** Clocks differ too much for signatures; the provider's answer says by how much. */
  clock_skew: renew,
  /** The endpoint leads into a private network, which the operator does not allow. */
  private_address: connection,
  /** TLS failed: the certificate is not valid for the endpoint. */
  certificate: connection,
  /** The provider sends elsewhere, and credentials do not follow. */
  redirected: connection,
  /** The connection's fields contradict each other, or the provider cannot do what they ask for. */
  misconfigured: connection,
  /** Longshore cannot serve this provider at all. */
  not_offered: connection,
  /** No such file. */
  not_found: file,
  /** The provider has ended this upload: abort it and begin the file again. */
  upload_gone: file,
  /** A part is missing or differs: ask what is there with `resume`, and send it again. */
  part_missing: file,
  /** What the server copied cannot be shown to be the source: send its bytes. */
  copy_differs: file,
  /** There is a file of that name already. */
  exists: file,
  /** The file is another than when reading began. */
  changed: file,
  /** The range lies outside the file. */
  range_not_satisfiable: file,
  /** The file lies in cold storage and has to be restored first. */
  archived: file,
  /** The provider cannot hold a file of this name. */
  name_refused: file,
  /** The provider takes no file of this size. */
  too_large: file,
  /** The provider takes no file without content. */
  empty_refused: file,
} as const satisfies Record<string, Kind>;

export type ProviderErrorCode = keyof typeof kinds;

export const providerErrorCodes = Object.keys(kinds) as readonly ProviderErrorCode[];

export interface ProviderErrorOptions extends ErrorOptions {
  /** Milliseconds that the provider asks to wait at least. */
  readonly retryAfter?: number;
  /** The provider's own code and status, for the log: `QuotaExceeded`, 403. Never its message, which may repeat a secret. */
  readonly answered?: string;
}

/**
 * A failure of a provider. Its message says what happened and what to do, in sentences for the people of the Team; it holds
 * no secret, no signed address and nothing of the operator's network.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;
  readonly retry: Retry;
  readonly blame: Blame;
  readonly retryAfter: number;
  readonly answered: string;

  constructor(code: ProviderErrorCode, message: string, { retryAfter = 0, answered = '', ...options }: ProviderErrorOptions = {}) {
    // It may name a file as a bucket has it.
    super(printable(message), options);
    this.code = code;
    this.retry = kinds[code].retry;
    this.blame = kinds[code].blame;
    this.retryAfter = retryAfter;
    this.answered = answered;
  }
}
