import { isSilence, storageStalled, TransferError } from '#client/errors.ts';

/** A connection on which no byte moved for too long, detected by us. */
export class Stalled extends Error {
  override readonly name = 'Stalled';
  readonly code = 'STALLED';
}

const cut = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_INFO', 'ECONNABORTED', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const distrust = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/**
 * The same failure with an explanation: for silence, and for a certificate of an unknown authority, with what a person
 * can do about it.
 */
export function explained(error: Error): Error {
  if (isSilence(error)) {
    const { code } = error as NodeJS.ErrnoException;
    return Object.assign(new Error('it stopped answering, and no byte moved for too long', { cause: error }), { code });
  }
  if (!('code' in error) || !distrust.has(String(error.code))) return error;
  const advice = 'Name the file with the certificate of its authority in the environment, as NODE_EXTRA_CA_CERTS, and start again';
  return Object.assign(new Error(`its certificate is not trusted on this machine. ${advice}`, { cause: error }), { code: error.code });
}

/**
 * Maps a connection's failure to its meaning for the transfer. `TransferError`s are returned unchanged, since a disk
 * failure ends a request too.
 */
export function netFailure(cause: unknown): unknown {
  if (cause instanceof TransferError || !(cause instanceof Error)) return cause;
  const code = 'code' in cause ? String(cause.code) : '';
  if (isSilence(cause)) return storageStalled(cause);
  if (cause.name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new TransferError('wrong_answer', 'What answered is no storage: it does not speak HTTP. Check the address and any proxy.', {
      cause,
    });
  }
  if (cut.has(code)) return new TransferError('cut', 'The connection to the storage broke.', { cause });
  return new TransferError('unreachable', `The storage cannot be reached: ${explained(cause).message || code}. Check the network.`, {
    cause,
  });
}
