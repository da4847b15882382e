import { ProviderError } from '../errors.ts';
import type { CloudHttp } from '../http/client.ts';
import { type JsonRecord, recordIn } from '../http/json.ts';
import type { AccessToken } from '../http/token-cache.ts';
import type { B2Config } from './config.ts';
import { b2Error, noSense, signInError } from './errors.ts';

/** What Backblaze says of a key when it signs in, and the bucket. */
export interface B2Account {
  readonly token: string;
  /** Origins. */
  readonly apiUrl: string;
  readonly downloadUrl: string;
  /** Origin of the S3-compatible API; null if this key or this bucket cannot use it. */
  readonly s3Url: string | null;
  readonly bucketId: string;
  readonly isMasterKey: boolean;
  /** The key is limited to certain buckets. */
  readonly isLimited: boolean;
  readonly capabilities: readonly string[];
  /** What all names have to begin with; empty if the key is not limited so. */
  readonly namePrefix: string;
  /** When the key ends; null for never. */
  readonly expires: Date | null;
}

export interface SignInOptions {
  readonly config: B2Config;
  readonly http: CloudHttp;
  /** Origin of b2_authorize_account. */
  readonly endpoint: string;
  readonly now: () => Date;
}

export const apiVersion = '/b2api/v4';

/** Of a token, in milliseconds; the longest that B2 documents. */
const tokenLife = 24 * 3600 * 1000;

/** Signs in with the application key, and finds the bucket. */
export function createSignIn({ config, http, endpoint, now }: SignInOptions): (signal: AbortSignal) => Promise<AccessToken<B2Account>> {
  const { keyId, key, bucket } = config;
  const home = new URL(endpoint).hostname;

  /** An origin that the token may be sent to. */
  function originIn(value: unknown): string {
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
    const isTheirs = url?.protocol === 'https:' && /\.backblaze(b2)?\.com$/.test(url.hostname);
    if (url && (isTheirs || url.hostname === home)) return url.origin;
    throw noSense();
  }

  async function bucketWith(
    { accountId, apiUrl, token, capabilities, buckets }: Session,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly hasS3: boolean }> {
    const named = buckets?.find(({ name }) => name === bucket);
    if (buckets && !named) {
      throw new ProviderError(
        'forbidden',
        'The application key is limited to other buckets. Make one for this bucket and enter it, or correct the destination.',
      );
    }
    if (!capabilities.includes('listBuckets')) {
      if (typeof named?.id === 'string') return { id: named.id, hasS3: true };
      throw new ProviderError('forbidden', 'The application key lacks the capability listBuckets. Make one that has it, and enter it.');
    }
    const body = JSON.stringify({ accountId, bucketName: bucket });
    const headers = { authorization: token, 'content-type': 'application/json' };
    const answer = await http.send({ method: 'POST', url: `${apiUrl}${apiVersion}/b2_list_buckets`, headers, body }, signal);
    if (answer.status !== 200) throw b2Error(answer, now());
    const found = recordIn(answer.bytes, noSense)['buckets'];
    const [first] = Array.isArray(found) ? (found as readonly JsonRecord[]) : [];
    if (!first)
      throw new ProviderError('no_destination', 'There is no bucket of this name in the account. Make it, or correct the destination.');
    if (typeof first['bucketId'] !== 'string') throw noSense();
    const options = first['options'];
    return { id: first['bucketId'], hasS3: !Array.isArray(options) || options.includes('s3') };
  }

  return async (signal) => {
    const credentials = Buffer.from(`${keyId}:${key}`).toString('base64');
    const url = `${endpoint}${apiVersion}/b2_authorize_account`;
    const answer = await http.send({ method: 'GET', url, headers: { authorization: `Basic ${credentials}` } }, signal);
    if (answer.status !== 200) throw signInError(answer, now());
    const session = sessionIn(recordIn(answer.bytes, noSense), originIn);
    const { accountId, token, apiUrl, downloadUrl, s3Url, capabilities, buckets, namePrefix, expires } = session;
    const { id: bucketId, hasS3 } = await bucketWith(session, signal);
    const isMasterKey = isMaster(keyId, accountId);
    return {
      value: {
        token,
        apiUrl,
        downloadUrl,
        s3Url: isMasterKey || !hasS3 ? null : s3Url,
        bucketId,
        isMasterKey,
        isLimited: buckets !== null,
        capabilities,
        namePrefix,
        expires,
      },
      life: expires ? Math.min(tokenLife, expires.getTime() - now().getTime()) : tokenLife,
    };
  };
}

/** The account's id is the master key's; newer ones have the cluster before it and zeros after it. */
const isMaster = (keyId: string, accountId: string): boolean =>
  keyId === accountId || (keyId.length === accountId.length + 13 && keyId.endsWith(`${accountId}0000000000`));

interface Session extends Pick<B2Account, 'token' | 'apiUrl' | 'downloadUrl' | 's3Url' | 'capabilities' | 'namePrefix' | 'expires'> {
  readonly accountId: string;
  /** Null: all. */
  readonly buckets: readonly { readonly id?: unknown; readonly name?: unknown }[] | null;
}

function sessionIn({ accountId, authorizationToken, apiInfo, ...rest }: JsonRecord, originIn: (value: unknown) => string): Session {
  const { storageApi } = (apiInfo ?? {}) as { storageApi?: JsonRecord };
  const { apiUrl, downloadUrl, s3ApiUrl, allowed } = storageApi ?? {};
  const { buckets, capabilities, namePrefix } = (allowed ?? {}) as JsonRecord;
  const expires = rest['applicationKeyExpirationTimestamp'];
  if (typeof accountId !== 'string' || typeof authorizationToken !== 'string' || !Array.isArray(capabilities)) throw noSense();
  return {
    accountId,
    token: authorizationToken,
    apiUrl: originIn(apiUrl),
    downloadUrl: originIn(downloadUrl),
    s3Url: typeof s3ApiUrl === 'string' && s3ApiUrl !== '' ? originIn(s3ApiUrl) : null,
    capabilities: capabilities.map(String),
    buckets: Array.isArray(buckets) ? (buckets as Session['buckets']) : null,
    namePrefix: typeof namePrefix === 'string' ? namePrefix : '',
    expires: typeof expires === 'number' ? new Date(expires) : null,
  };
}
