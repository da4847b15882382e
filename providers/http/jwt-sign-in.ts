import type { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp } from './client.ts';
import { type AccessToken, accessTokenIn } from './token-cache.ts';

export interface JwtSignInOptions {
  /** Whose sign-in it is, for messages. */
  readonly service: string;
  readonly http: CloudHttp;
  readonly tokenUrl: string;
  readonly now: () => Date;
  /** Signed for this time, in seconds. */
  readonly sign: (issued: number) => Promise<string>;
  /** Sent beside the assertion. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether a refusal complains of our clock. */
  readonly isClockSkew: (bytes: Buffer) => boolean;
  readonly errorOf: (answer: CloudAnswer, now: Date) => ProviderError;
}

/**
 * Exchanges a JWT that we sign for an access token (RFC 7523). If our clock is refused, it signs once more by the clock of the
 * answer, since nobody but the operator could mend ours.
 */
export function createJwtSignIn(options: JwtSignInOptions): (signal: AbortSignal) => Promise<AccessToken> {
  const { service, http, tokenUrl, now, sign, fields = {}, isClockSkew, errorOf } = options;

  const exchange = async (at: number, signal: AbortSignal): Promise<CloudAnswer> => {
    const assertion = await sign(Math.floor(at / 1000));
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', ...fields, assertion };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return await http.send({ method: 'POST', url: tokenUrl, headers, body: new URLSearchParams(form).toString() }, signal);
  };

  return async (signal) => {
    let answer = await exchange(now().getTime(), signal);
    const theirs = Date.parse(answer.headers['date'] ?? '');
    if (answer.status === 400 && isClockSkew(answer.bytes) && Number.isFinite(theirs)) answer = await exchange(theirs, signal);
    if (answer.status !== 200) throw errorOf(answer, now());
    return accessTokenIn(answer.bytes, service);
  };
}
