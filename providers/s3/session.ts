import { S3Client } from '@aws-sdk/client-s3';
import { ProviderError } from '../errors.ts';
import { createCloudHttp } from '../http/client.ts';
import { unlessAborted } from '../http/token-cache.ts';
import type { ProviderEnvironment } from '../ports.ts';
import { type AssumedRole, assumeRole } from './assume-role.ts';
import type { S3Config } from './config.ts';
import { regionIn, s3Error } from './errors.ts';
import { type BytesToPut, createPutBytes, type PutAnswer } from './put-bytes.ts';
import { createRequestHandler, type RequestHandlerOptions } from './request-handler.ts';

/** Of a role's life, after which it is assumed anew. */
const renewAfterShare = 0.8;

/** The SDK would write to the console. Wrappers report every call. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Requests to one bucket: with credentials that hold, in the region where it lies, and failures in words. */
export interface S3Session {
  /** Rejects with `ProviderError`, the signal's reason, or an error of the request's own stream. */
  send<T>(work: (client: S3Client) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The same for bytes in memory, which are not read any more when it has ended. */
  put(request: BytesToPut, signal: AbortSignal): Promise<PutAnswer>;
  /** The region that the server named in place of the config's; null if none. */
  readonly learnedRegion: string | null;
  /** Forgets the role's credentials, and goes to the region that was learned. */
  renew(): void;
  close(): Promise<void>;
}

export function createS3Session(config: S3Config, environment: ProviderEnvironment, options: RequestHandlerOptions = {}): S3Session {
  const { access, endpoint, pathStyle } = config;
  const { now } = environment;
  const handler = createRequestHandler(environment, options);
  const http = createCloudHttp(environment, options.lookup ? { lookup: options.lookup } : {});
  const putBytes = createPutBytes(config.bucket, handler);
  let region = config.region;
  let current: { readonly client: S3Client; readonly renewAt: number } | null = null;
  let renewing: Promise<S3Client> | null = null;
  /** Whose credentials were refused last. */
  let refused: S3Client | null = null;

  const clientWith = (credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }): S3Client =>
    new S3Client({
      region,
      forcePathStyle: pathStyle,
      ...(endpoint !== null && { endpoint }),
      // The operator's own: a Team's credentials and files do not go there.
      ignoreConfiguredEndpointUrls: true,
      credentials,
      requestHandler: handler,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // Retries are the wrapper's.
      maxAttempts: 1,
      logger: silent,
      // Addresses are checked by the request handler; these would bring others.
      useArnRegion: false,
      followRegionRedirects: false,
    });

  /** Not ended by one caller's signal: others wait for the same credentials. */
  async function newClient(): Promise<S3Client> {
    if (access.by === 'key') {
      current = { client: clientWith(access), renewAt: Number.POSITIVE_INFINITY };
      return current.client;
    }
    const role: AssumedRole = await assumeRole({ ...access, region }, environment, http, AbortSignal.timeout(30_000)).catch(
      (error: unknown) => {
        if (error instanceof ProviderError) throw error;
        throw new ProviderError('unreachable', 'AWS did not answer in time when the role was assumed. It is tried again.');
      },
    );
    const life = role.expiresAt.getTime() - now().getTime();
    current = { client: clientWith(role), renewAt: now().getTime() + life * renewAfterShare };
    return current.client;
  }

  async function client(): Promise<S3Client> {
    if (current && now().getTime() < current.renewAt) return current.client;
    renewing ??= newClient().finally(() => {
      renewing = null;
    });
    return renewing;
  }

  const session = {
    learnedRegion: null as string | null,
    put: (request: BytesToPut, signal: AbortSignal): Promise<PutAnswer> =>
      session.send((client) => putBytes(client, request, signal), signal),
    async send<T>(work: (client: S3Client) => Promise<T>, signal: AbortSignal): Promise<T> {
      signal.throwIfAborted();
      let used: S3Client | null = null;
      try {
        used = await unlessAborted(client(), signal);
        return await work(used);
      } catch (error) {
        signal.throwIfAborted();
        const named = regionIn(error);
        const failure = s3Error(error, now());
        if (named !== null && named !== region && failure instanceof ProviderError && failure.code === 'wrong_region') {
          session.learnedRegion = named;
        }
        if (failure instanceof ProviderError && failure.retry === 'renew') refused = used;
        throw failure;
      }
    },
    renew() {
      if (session.learnedRegion !== null && session.learnedRegion !== region) {
        region = session.learnedRegion;
        current = null;
      }
      // A client with a key is kept: the SDK has learned in it by how much the clocks differ.
      // Of several requests that are refused together the first has the role assumed, and the others use what came of it.
      if (access.by === 'role' && current?.client === refused) current = null;
    },
    async close() {
      handler.destroy();
      await http.close();
    },
  };
  return session;
}
