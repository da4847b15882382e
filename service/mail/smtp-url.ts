import { isLoopback, readCertificates } from '../certificates.ts';
import { StartError } from '../start-error.ts';

/** A mail server from the operator's settings. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * `implicit`: TLS from the first byte. `required`: by STARTTLS, otherwise nothing is sent. `optional`: if the
   * server offers it.
   */
  readonly tls: 'implicit' | 'required' | 'optional' | 'off';
  readonly auth: { readonly user: string; readonly pass: string } | null;
  /** Certificates that are trusted instead of the system's, in PEM. */
  readonly ca: string | null;
}

const example = 'smtp://user:password@mail.example.com:587';
const parameters = ['tls', 'ca'];

const invalid = (detail: string): never => {
  throw new StartError('option_invalid', `--smtp-url: ${detail}`);
};

/**
 * Parses `smtp://[user:password@]host[:port][?tls=required|optional|off][&ca=file]` or `smtps://…`. Without `tls`,
 * STARTTLS is required unless the server is this machine. Errors: `StartError`, which never contains a part of the
 * address.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return invalid(`give an address like ${example}.`);
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash !== '') return invalid('the address has no path.');
  for (const name of url.searchParams.keys()) {
    if (!parameters.includes(name)) return invalid(`only these parameters are known: ${parameters.join(', ')}.`);
  }
  const implicit = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tls = url.searchParams.get('tls') ?? (implicit ? 'implicit' : isLoopback(host) ? 'optional' : 'required');
  if (implicit && tls !== 'implicit') return invalid('smtps:// is TLS from the first byte: tls=… is for smtp://.');
  if (!implicit && tls !== 'required' && tls !== 'optional' && tls !== 'off') return invalid('tls is required, optional or off.');
  const auth = credentialsOf(url);
  if (auth && tls === 'optional' && !isLoopback(host)) {
    return invalid('with a password TLS cannot be optional: it would be sent in clear where somebody takes TLS away.');
  }
  return {
    host,
    port: url.port !== '' ? Number(url.port) : implicit ? 465 : auth ? 587 : 25,
    tls: tls as SmtpServer['tls'],
    auth,
    ca: readCertificates(url.searchParams.get('ca')),
  };
}

function credentialsOf(url: URL): SmtpServer['auth'] {
  if (url.username === '' && url.password === '') return null;
  try {
    return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  } catch {
    return invalid('user and password must be percent-encoded: % is written %25.');
  }
}
