import { readCertificates } from '../certificates.ts';
import { StartError } from '../start-error.ts';

/** An MQTT broker as an operator names it. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly user: { readonly name: string; readonly password: string } | null;
  /** Before `/packages/{package_id}`, without a slash at either end. */
  readonly prefix: string;
  readonly qos: 0 | 1;
  /** Certificates that are trusted instead of the system's, in PEM. */
  readonly ca: string | null;
}

const defaultPrefix = 'longshore';
const parameters = ['qos', 'ca'];

const invalid = (detail: string): never => {
  throw new StartError('option_invalid', `--realtime-url: ${detail}`);
};

/**
 * Reads `mqtt[s]://[user:password@]host[:port][/topic/prefix][?qos=0|1][&ca=file]`. Errors: `StartError`, never with
 * a part of the address.
 */
export function parseBrokerUrl(text: string): BrokerAddress {
  const url = URL.parse(text);
  if (!url || !/^mqtts?:$/.test(url.protocol) || url.hostname === '') {
    return invalid('give an address like mqtts://user:password@broker.example.com/longshore.');
  }
  for (const name of url.searchParams.keys()) {
    if (!parameters.includes(name)) return invalid(`only these parameters are known: ${parameters.join(', ')}.`);
  }
  const qos = url.searchParams.get('qos') ?? '0';
  if (qos !== '0' && qos !== '1') return invalid('qos is 0 or 1.');
  const tls = url.protocol === 'mqtts:';
  const prefix = decoded(url.pathname.replaceAll(/^\/+|\/+$/g, '')) || defaultPrefix;
  if (/[+#\p{Cc}]/u.test(prefix) || prefix.startsWith('$') || Buffer.byteLength(prefix) > 1_000) {
    return invalid('the path is the prefix of topics, without + and #, and not beginning with $.');
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port !== '' ? Number(url.port) : tls ? 8883 : 1883,
    tls,
    user: url.username === '' && url.password === '' ? null : { name: decoded(url.username), password: decoded(url.password) },
    prefix,
    qos: Number(qos) as 0 | 1,
    ca: readCertificates(url.searchParams.get('ca')),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return invalid('user, password and path must be percent-encoded: % is written %25.');
  }
}
