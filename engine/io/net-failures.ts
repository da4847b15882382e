import { MoveError } from '#client/errors.ts';

/** A connection that moved no byte for too long, found out by us. */
export class Stalled extends Error {
  override readonly name = 'Stalled';
  readonly code = 'STALLED';
}

const stalled = new Set(['STALLED', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const cut = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_INFO', 'ECONNABORTED', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/**
 * What a connection's failure means for the transfer. `MoveError`s pass as they are: a disk that fails
 * ends a request, too.
 */
export function netFailure(cause: unknown): unknown {
  if (cause instanceof MoveError || !(cause instanceof Error)) return cause;
  const code = 'code' in cause ? String(cause.code) : '';
  if (stalled.has(code)) return new MoveError('stalled', 'The storage stopped: no byte moved for too long.', { cause });
  if (cause.name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new MoveError('wrong_answer', 'What answered is no storage: it does not speak HTTP. Check the address and any proxy.', {
      cause,
    });
  }
  if (cut.has(code)) return new MoveError('cut', 'The connection to the storage broke.', { cause });
  return new MoveError('unreachable', `The storage cannot be reached: ${cause.message || code}. Check the network.`, { cause });
}
