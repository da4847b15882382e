import { isPublicAddress } from '#net/public-addresses.ts';
import type { ProviderName } from '#protocol/providers.ts';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider, ProviderEnvironment } from '#providers/ports.ts';
import type { Log } from '../log.ts';
import type { Seal } from '../seal.ts';
import { type KnownAuthorization, openIfPossible } from './authorization.ts';

/** The columns of a connection that lead to its storage. */
export interface ConnectionCredentials {
  readonly id: string;
  readonly provider: ProviderName;
  readonly sealed_authorization: Buffer;
}

/** Credentials that belong to no connection, checked by `newAuthorization`. */
export interface SingleUseCredentials {
  readonly provider: ProviderName;
  readonly authorization: KnownAuthorization;
}

export interface OpenProviderOptions {
  /** Of each call, with the first. Fewer where somebody waits for the answer. Default: 6. */
  readonly attempts?: number;
}

/** The storage of Teams: the one place where stored credentials become a connection to a provider. */
export interface CloudProviders {
  /**
   * A provider that retries, keeps the pace that its server asks for, and logs. Its owner closes it. Rejects with
   * `ProviderError`: `misconfigured` for fields that cannot be used, `not_offered` for what the service cannot reach.
   */
  open(credentials: ConnectionCredentials | SingleUseCredentials, options?: OpenProviderOptions): Promise<CloudProvider>;
  /** Opens a provider for `work`, and closes it after any end. */
  use<T>(
    credentials: ConnectionCredentials | SingleUseCredentials,
    work: (provider: CloudProvider) => Promise<T>,
    options?: OpenProviderOptions,
  ): Promise<T>;
}

interface CloudProvidersParts {
  /** Allows connections to loopback and private networks. */
  readonly allowPrivate: boolean;
  readonly seal: Seal;
  readonly now: () => Date;
  readonly log: Pick<Log, 'debug' | 'info'>;
}

export function createCloudProviders({ allowPrivate, seal, now, log }: CloudProvidersParts): CloudProviders {
  // Roles are assumed with the identity that AWS tools would find here, so it is not named.
  const environment: ProviderEnvironment = { mayConnect: (address) => allowPrivate || isPublicAddress(address), now };

  function authorizationOf(credentials: ConnectionCredentials | SingleUseCredentials): KnownAuthorization {
    if ('authorization' in credentials) {
      // A role is assumed in the name of a Team, known by its external id: who passes by has none.
      if (credentials.authorization['role_arn'] === undefined) return credentials.authorization;
      throw new ProviderError('misconfigured', 'A role can be used by a connection only. Give an access key for a single use.');
    }
    const opened = openIfPossible(seal, credentials);
    if (opened) return opened;
    const message = 'The stored credentials cannot be opened, since the key of this service is another now. Enter all of them again.';
    throw new ProviderError('misconfigured', message);
  }

  const providers: CloudProviders = {
    async open(credentials, { attempts } = {}) {
      // Loaded only when needed: the libraries of the providers are our largest.
      const [{ openProvider }, { withLogging }, { withPacing }, { withRetry }] = await Promise.all([
        import('#providers/all.ts'),
        import('#providers/wrappers/logging.ts'),
        import('#providers/wrappers/pacing.ts'),
        import('#providers/wrappers/retry.ts'),
      ]);
      const connection = 'id' in credentials ? credentials.id : 'single use';
      const plain = openProvider(credentials.provider, authorizationOf(credentials), environment);
      const logged = withLogging(plain, ({ failure, ...call }) => {
        const facts = { connection, provider: credentials.provider, ...call };
        if (failure === undefined || failure === 'cancelled') log.debug({ ...facts, failure }, 'a call to a connection');
        else log.info({ ...facts, failure, onceAMinute: `${connection} ${call.call} ${failure}` }, 'a call to a connection failed');
      });
      return withRetry(withPacing(logged), attempts === undefined ? {} : { attempts });
    },
    async use(credentials, work, options) {
      const provider = await providers.open(credentials, options);
      try {
        return await work(provider);
      } finally {
        await provider.close();
      }
    },
  };
  return providers;
}
