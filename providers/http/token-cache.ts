import { ProviderError } from '../errors.ts';
import { networkError } from './network-errors.ts';

/** `T`: the token, or what was said with it. */
export interface AccessToken<T = string> {
  readonly value: T;
  /** Milliseconds that it is good for, from now on. */
  readonly life: number;
}

export interface TokenCache<T = string> {
  /** A token with some life left. Rejects as the sign-in does, or with the signal's reason. */
  get(signal: AbortSignal): Promise<T>;
  /**
   * Does `work` with such a token. If it fails as something that was over (`retry: 'renew'`), the next call signs in again: once,
   * however many have that token refused, and however late they hear of it.
   */
  use<R>(work: (token: T) => Promise<R>, signal: AbortSignal): Promise<R>;
}

interface CachedToken<T> {
  readonly value: T;
  /** Milliseconds since 1970. */
  readonly renewAt: number;
}

/** A token is renewed when this part of its life is over, since a request may wait before it is sent. */
const usedLife = 0.8;
const signInMilliseconds = 30_000;

/** One sign-in serves all who wait for it, and goes on when one of them is cancelled. */
export function createTokenCache<T>(signIn: (signal: AbortSignal) => Promise<AccessToken<T>>, now: () => Date): TokenCache<T> {
  let held: CachedToken<T> | null = null;
  let pending: Promise<CachedToken<T>> | null = null;

  async function renewed(): Promise<CachedToken<T>> {
    const timeout = AbortSignal.timeout(signInMilliseconds);
    try {
      const started = now().getTime();
      const { value, life } = await signIn(timeout);
      held = { value, renewAt: started + life * usedLife };
      return held;
    } catch (error) {
      throw timeout.aborted && !(error instanceof ProviderError) ? networkError(error) : error;
    } finally {
      pending = null;
    }
  }

  async function current(signal: AbortSignal): Promise<CachedToken<T>> {
    signal.throwIfAborted();
    if (held && now().getTime() < held.renewAt) return held;
    pending ??= renewed();
    return await unlessAborted(pending, signal);
  }

  return {
    get: async (signal) => (await current(signal)).value,
    async use(work, signal) {
      const used = await current(signal);
      try {
        return await work(used.value);
      } catch (error) {
        // Another may have signed in meanwhile.
        if (held === used && error instanceof ProviderError && error.retry === 'renew') held = null;
        throw error;
      }
    },
  };
}

/** Waits for `work`, which goes on for others when this caller is cancelled. Rejects with the signal's reason then. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The token in an answer of RFC 6749 §5.1; `bad_answer` if there is none. `service`: whose sign-in it is. */
export function accessTokenIn(bytes: Buffer, service: string): AccessToken {
  try {
    const { access_token, expires_in } = JSON.parse(bytes.toString()) as { access_token?: unknown; expires_in?: unknown };
    if (typeof access_token === 'string' && access_token !== '') return { value: access_token, life: Number(expires_in ?? 0) * 1000 || 0 };
  } catch {
    // Told below: the body may hold a token.
  }
  throw new ProviderError(
    'bad_answer',
    `${service}'s sign-in answered without a token. It is tried again; if that goes on, tell the operator.`,
  );
}
