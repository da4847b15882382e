import { ProviderError } from '../errors.ts';

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** What went wrong on the way, found in the causes too: the failure itself, in words that name no address. */
export function networkError(error: unknown): ProviderError {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof ProviderError) return at;
    // Node tries all addresses of a name.
    const inner: unknown = at instanceof AggregateError ? at.errors.find((one) => one instanceof ProviderError) : undefined;
    if (inner instanceof ProviderError) return inner;
  }
  const cause = error instanceof Error && codeOf(error) === '' && error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  const options = { cause: error, answered: code };
  if (code === 'ENOTFOUND') {
    return new ProviderError('unreachable', 'The host name of the endpoint does not resolve. Check how it is written.', options);
  }
  if (code === 'ECONNREFUSED') {
    return new ProviderError(
      'unreachable',
      'The storage refuses connections. Check the endpoint and its port, and that the server runs.',
      options,
    );
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return new ProviderError(
      'certificate',
      `TLS failed (${code}). The endpoint's certificate must be valid for its host name, and of an authority that this service trusts.`,
      options,
    );
  }
  if (/TIMEDOUT|TIMEOUT/i.test(code) || (cause instanceof Error && cause.name === 'TimeoutError')) {
    return new ProviderError(
      'unreachable',
      'The storage did not answer in time. It is tried again; if that goes on, ask its operator.',
      options,
    );
  }
  return new ProviderError(
    'unreachable',
    `The connection to the storage broke${code === '' ? '' : ` (${code})`}. It is tried again; if that goes on, check the network.`,
    options,
  );
}
