import { getSystemErrorName } from 'node:util';
import { type Diagnosis, fail } from './diagnosis.ts';

/** Why something failed, for the end of a sentence, and what to do where that follows from the reason alone. */
interface Explanation {
  readonly reason: string;
  readonly action?: string;
}

/** As Node, its libraries and ours throw them. */
interface Failure extends NodeJS.ErrnoException {
  /** Of nodemailer, whose own code is another. */
  readonly originalCode?: string;
  /** Of a certificate for other names: the name that was asked for. */
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

/** Of a failure that is met where the service reaches out: words of our own where its code is known, else those that came. */
export function explain(error: unknown): Explanation {
  const chain = chainOf(error);
  for (const one of chain) {
    for (const code of codesOf(one)) {
      const known = explanations[code];
      if (known) return typeof known === 'function' ? known(one) : known;
    }
  }
  const [{ code, message } = {} as Failure, cause] = chain;
  const text = (message || cause?.message || code || 'it failed').replace(/\s+/g, ' ').slice(0, 300);
  return { reason: text.replace(/\.$/, '') };
}

/** The same without what to do. */
export const reasonOf = (error: unknown): string => explain(error).reason;

/** `what`: a sentence without its end, which is the reason. `usually`: what to do where the reason alone does not say it. */
export function failed(about: string, what: string, error: unknown, usually: string): Diagnosis {
  const { reason, action = usually } = explain(error);
  return fail(about, `${what}: ${reason}.`, action);
}

/** The failure, and those that it came of. */
function chainOf(error: unknown): readonly Failure[] {
  const chain: Failure[] = [];
  for (let at: unknown = error; at instanceof Error && chain.length < 5; ) {
    chain.push(at);
    // Node tries all addresses of a name.
    at = at.cause ?? (at instanceof AggregateError ? at.errors[0] : undefined);
  }
  return chain;
}

function codesOf({ code, originalCode, name, errno }: Failure): readonly string[] {
  const ofSystem = typeof errno === 'number' && errno < 0 ? getSystemErrorName(errno) : '';
  return [originalCode ?? '', String(code ?? ''), ofSystem, name];
}

const authority: Explanation = {
  reason: 'its certificate is of an authority that this machine does not trust, or the server sends no intermediate certificates',
  action:
    'Have the server send all of its chain (fullchain.pem). If the authority is your own, name its certificate in the environment of the service and of this command: NODE_EXTRA_CA_CERTS=/etc/ssl/our-ca.pem. That of a mail server can stand in its address: --smtp-url smtps://…?ca=/etc/ssl/our-ca.pem.',
};
const selfSigned: Explanation = {
  reason: 'its certificate is signed by itself, so nobody trusts it',
  action:
    'Get one of an authority, or name it in the environment of the service, of this command and of everybody who is to trust it: NODE_EXTRA_CA_CERTS=/etc/ssl/that-certificate.pem. That of a mail server can stand in its address: --smtp-url smtps://…?ca=/etc/ssl/that-certificate.pem.',
};
const noTls: Explanation = {
  reason: 'no TLS is spoken on that port',
  action: 'Look at its port, and at what listens there: an address of https: or smtps: needs a server with a certificate.',
};
const silence: Explanation = {
  reason: 'no answer came in time',
  action: 'Look whether that machine runs, and whether a firewall between lets connections to this port through.',
};
const noRoute: Explanation = {
  reason: 'this machine has no way to it',
  action: "Look at this machine's network: its addresses (IPv6 as well), its routes and its firewall.",
};
const cut: Explanation = {
  reason: 'the connection was closed before an answer came',
  action: 'Look at its port, at what listens there and its log, and at firewalls and proxies between.',
};

function otherNames({ host, cert }: Failure): Explanation {
  const names = cert?.subjectaltname?.replaceAll(/(?:DNS|IP Address):/g, '').slice(0, 200);
  return {
    reason: `its certificate is for ${names || 'another name'}${host ? `, not for ${host}` : ''}`,
    action: 'Get a certificate for that name, or correct the address; look also whether a proxy answers with that of another site.',
  };
}

/** By the code of the failure, the name of its system error or of its class. */
const explanations: Readonly<Record<string, Explanation | ((failure: Failure) => Explanation)>> = {
  SELF_SIGNED_CERT_IN_CHAIN: authority,
  UNABLE_TO_GET_ISSUER_CERT: authority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: authority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: authority,
  CERT_UNTRUSTED: authority,
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  CERT_HAS_EXPIRED: {
    reason: 'its certificate, or one above it, has expired',
    action: 'Renew it, and see to it that something renews it by itself. If it has not ended, set the clock of this machine.',
  },
  CERT_NOT_YET_VALID: {
    reason: 'its certificate, or one above it, is not good yet',
    action: "Set the clock of this machine by a time server; if it is right, look at the certificate's dates.",
  },
  CERT_REVOKED: { reason: 'its certificate has been revoked', action: 'Get a new one.' },
  ERR_TLS_CERT_ALTNAME_INVALID: otherNames,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: { ...noTls, reason: 'TLS failed: it speaks none on that port, or an old version' },
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: { reason: 'it refuses TLS 1.2 and 1.3', action: 'Let the server speak TLS 1.2 or newer.' },
  ERR_SSL_UNSUPPORTED_PROTOCOL: { reason: 'it speaks no TLS 1.2 or 1.3', action: 'Let the server speak TLS 1.2 or newer.' },
  HTTPParserError: { reason: 'what answers there speaks no HTTP', action: 'Look at its port: one with TLS has an address of https:.' },
  ECONNREFUSED: {
    reason: 'connections are refused, so no program listens on that port',
    action: 'Look whether the program runs and on which address and port it listens, and at the firewall of its machine.',
  },
  ECONNRESET: cut,
  EPIPE: cut,
  ECONNABORTED: cut,
  UND_ERR_SOCKET: cut,
  ENOTFOUND: {
    reason: 'there is no such name',
    action: 'Look how the name is written, and at its DNS records, as this machine sees them (getent hosts NAME).',
  },
  EAI_AGAIN: { reason: 'the name server does not answer', action: "Look at this machine's network and /etc/resolv.conf." },
  ETIMEDOUT: silence,
  TimeoutError: silence,
  UND_ERR_CONNECT_TIMEOUT: silence,
  UND_ERR_HEADERS_TIMEOUT: silence,
  UND_ERR_BODY_TIMEOUT: silence,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  EADDRNOTAVAIL: { reason: 'it is no address of this machine' },
  EACCES: { reason: 'this user may not' },
  EPERM: { reason: 'this user may not' },
  EROFS: { reason: 'its disk is mounted to be read only' },
  ENOENT: { reason: 'there is no such file' },
};
