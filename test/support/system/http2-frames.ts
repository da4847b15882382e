import { once } from 'node:events';
import type { Duplex } from 'node:stream';

/** Frames of HTTP/2 (RFC 9113, 4 and 6), for what no client library sends. */
export const frameTypes = { data: 0, headers: 1, resetStream: 3, settings: 4, ping: 6, goaway: 7, continuation: 9 } as const;
export const frameFlags = { endStream: 1, answer: 1, endHeaders: 4 } as const;

const headSize = 9;

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(headSize);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** What a client begins a connection with. */
export const greeting = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(frameTypes.settings, 0, 0)]);

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Calls `onFrame` with each that comes; resolves when the connection is closed. */
export async function readFrames(socket: Duplex, onFrame: (one: Frame) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= headSize) {
      const end = headSize + rest.readUIntBE(0, 3);
      if (rest.length < end) return;
      onFrame({ type: rest.readUInt8(3), flags: rest.readUInt8(4), stream: rest.readUInt32BE(5), payload: rest.subarray(headSize, end) });
      rest = rest.subarray(end);
    }
  });
  socket.once('end', () => socket.end());
  await once(socket, 'close');
}
