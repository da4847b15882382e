import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorDocument } from '../../xml.ts';
import { lingerMilliseconds, type Refusal } from '../refusal.ts';
import { OnreadStream, withOwnBuffers } from './onread-socket.ts';
import { parseRawPut, type RawPut } from './raw-head.ts';

/** A part that was accepted. */
export interface IncomingPart {
  /** A buffer for the next bytes. Return it by `give`, unless the kernel may still write to it. */
  take(): Buffer;
  give(buffer: Buffer): void;
  /** Adds the next bytes, which are kept until `done`. Returns `false` to stop the source until `onRoom`. */
  add(bytes: Buffer, done: () => void): boolean;
  /** Counts received bytes. */
  moved(bytes: number): void;
  /** Call it after the last byte: gives the part its final name and returns its etag. Rejects with a `Refusal`. */
  finish(): Promise<string>;
  /** Deletes what was received. */
  discard(): void;
}

export interface PartEvents {
  /** More bytes may be added. */
  readonly onRoom: () => void;
  /** The part cannot be stored. No more bytes may be added. */
  readonly onFailure: (refusal: Refusal) => void;
  /** Its memory is needed for other parts. No more bytes may be added. */
  readonly onCut: () => void;
}

/** The peer of a connection. */
export interface RawSender {
  readonly remoteAddress: string | undefined;
  /** Bytes of parts received on this connection. */
  brought: number;
}

export interface RawHttpOptions {
  /** Accepts a part if signature, length, memory and disk allow it. `null`: the ordinary server answers. */
  readonly accept: (put: RawPut, events: PartEvents, from: RawSender) => IncomingPart | null;
  /** Lets the ordinary server handle the connection from now on. */
  readonly handOver: (connection: Socket | OnreadStream) => void;
  /** A connection continues as another socket. */
  readonly replaced?: (first: Socket, second: Socket) => void;
  /** Idle timeout while a part is being received. */
  readonly idleMilliseconds: number;
  /** Timeout for a connection's first request. */
  readonly headMilliseconds: number;
  /** Timeout for each later request, as its answers announce it. */
  readonly keepAliveMilliseconds: number;
  /** Header lines of every answer, each with its line break. */
  readonly answerHeaders: string;
}

/**
 * Milliseconds that a connection stays open beyond what its answers announce, as with Node's own server. Otherwise a client
 * that uses it again in its last moment would find it reset.
 */
const keepAliveMargin = 1_000;

/**
 * Fast path for large parts over plain HTTP: the kernel reads directly into the buffers that are written to disk. An
 * HTTP parser would first copy every byte into its own memory, which costs twice the CPU. It supports only the request
 * of `parseRawPut`, for a part that is accepted. For any other request the connection is handed over to the ordinary
 * server, permanently and with all bytes read.
 */
export interface RawHttp {
  connected(socket: Socket): void;
  /** Closes connections that are waiting for a request. */
  closeIdle(): void;
  closeAll(): void;
}

/**
 * Smaller parts gain nothing. It also exceeds the bytes that are read with a head, so no part is complete with that
 * first read.
 */
export const smallestRawPart = 256 * 1024;

const headSize = 16 * 1024;

/** A connection that was not handed over to the ordinary server. */
interface Connection {
  readonly socket: Socket;
  readonly idle: () => boolean;
}

export function createRawHttp(options: RawHttpOptions): RawHttp {
  const connections = new Set<Connection>();
  return {
    connected: (socket) => awaitFirst(socket, options, connections),
    closeIdle() {
      for (const { socket, idle } of connections) if (idle()) socket.destroy();
    },
    closeAll() {
      for (const { socket } of connections) socket.destroy();
    },
  };
}

/** The plain PUT at the start of a connection's bytes, if it can be received here. */
function putIn(bytes: Buffer): RawPut | null {
  const put = parseRawPut(bytes);
  return put && put.length >= smallestRawPart && put.length > bytes.length - put.headLength ? put : null;
}

/** Reads a connection's first bytes, which decide where it is served. */
function awaitFirst(socket: Socket, options: RawHttpOptions, connections: Set<Connection>): void {
  const connection = { socket, idle: () => true };
  const destroy = (): void => void socket.destroy();
  const leave = (): void => {
    connections.delete(connection);
    socket.setTimeout(0);
    socket.off('data', onData).off('timeout', destroy).off('error', destroy).off('end', destroy).off('close', leave);
  };
  const onData = (bytes: Buffer): void => {
    leave();
    socket.pause();
    const put = putIn(bytes);
    if (put && receiveFrom(socket, put, bytes.subarray(put.headLength), options, connections)) return;
    socket.unshift(bytes);
    options.handOver(socket);
    socket.resume();
  };
  connections.add(connection);
  socket.setTimeout(options.headMilliseconds);
  socket.on('data', onData).on('timeout', destroy).on('error', destroy).on('end', destroy).on('close', leave);
}

type Phase =
  | { readonly name: 'waiting' }
  | { readonly name: 'body'; readonly part: IncomingPart; buffer: Buffer; filled: number; left: number; paused: boolean }
  | { readonly name: 'finishing' }
  /** Answered with a refusal; further bytes are discarded. */
  | { readonly name: 'refused' }
  | { readonly name: 'handed over'; readonly to: OnreadStream; readonly buffer: Buffer }
  | { readonly name: 'closed' };

/** Receives parts from a connection, starting with this one. `false`: not possible, and nothing was changed. */
function receiveFrom(first: Socket, put: RawPut, early: Buffer, options: RawHttpOptions, connections: Set<Connection>): boolean {
  const { accept, handOver } = options;
  const from: RawSender = { remoteAddress: first.remoteAddress, brought: 0 };
  const head = Buffer.allocUnsafe(headSize);
  let phase: Phase = { name: 'waiting' };
  if (!begin(put, early)) return false;
  const socket = withOwnBuffers(first, { buffer: () => room(), callback: (count) => onRead(count) });
  if (!socket) {
    close();
    return false;
  }
  options.replaced?.(first, socket);
  const connection: Connection = { socket, idle: () => phase.name === 'waiting' };
  connections.add(connection);
  socket.setTimeout(options.idleMilliseconds);
  socket.on('timeout', () => {
    // A sender that waits for our own disk is not idle.
    if (phase.name === 'finishing' || (phase.name === 'body' && phase.paused)) socket.setTimeout(options.idleMilliseconds);
    else if (phase.name !== 'handed over' || !phase.to.emit('timeout')) socket.destroy();
  });
  socket.on('error', () => socket.destroy());
  socket.on('end', () => {
    if (phase.name === 'handed over') phase.to.push(null);
    // After a complete part the sender may close its side and still wait for the answer.
    else if (phase.name !== 'finishing') socket.destroy();
  });
  socket.on('close', () => {
    connections.delete(connection);
    close();
  });
  return true;

  function begin(put: RawPut, early: Buffer): boolean {
    const part = accept(put, { onRoom, onFailure: refuse, onCut: () => void socket!.destroy() }, from);
    if (!part) return false;
    const buffer = part.take();
    early.copy(buffer);
    phase = { name: 'body', part, buffer, filled: early.length, left: put.length - early.length, paused: false };
    return true;
  }

  /** The buffer for the next bytes. It ends with the part, so that bytes of another request stay in the kernel. */
  function room(): Buffer {
    if (phase.name === 'body') return phase.buffer.subarray(phase.filled, phase.filled + phase.left);
    return phase.name === 'handed over' ? phase.buffer : head;
  }

  /** Returns whether to continue reading. */
  function onRead(count: number): boolean {
    switch (phase.name) {
      case 'waiting':
        return onHead(head.subarray(0, count));
      case 'body':
        phase.filled += count;
        phase.left -= count;
        from.brought += count;
        phase.part.moved(count);
        return onBody(phase);
      case 'handed over':
        return phase.to.push(Buffer.from(phase.buffer.subarray(0, count)));
      default:
        return phase.name === 'refused';
    }
  }

  function onHead(bytes: Buffer): boolean {
    const put = putIn(bytes);
    if (put && begin(put, bytes.subarray(put.headLength))) {
      socket!.setTimeout(options.idleMilliseconds);
      return true;
    }
    const to = new OnreadStream(socket!, from.remoteAddress);
    phase = { name: 'handed over', to, buffer: Buffer.allocUnsafe(headSize) };
    connections.delete(connection);
    to.push(Buffer.from(bytes));
    handOver(to);
    return true;
  }

  function onBody(body: Phase & { name: 'body' }): boolean {
    const { part, buffer, filled, left } = body;
    if (left > 0 && filled < buffer.length) return true;
    const more = part.add(buffer.subarray(0, filled), () => part.give(buffer));
    if (phase !== body) return phase.name === 'refused';
    if (left === 0) {
      phase = { name: 'finishing' };
      part.finish().then(answer, refuse);
      return false;
    }
    // If the same buffer is already free it is reused, since it is still in the processor's cache.
    body.buffer = part.take();
    body.filled = 0;
    body.paused = !more;
    return more;
  }

  function onRoom(): void {
    if (phase.name !== 'body' || !phase.paused) return;
    phase.paused = false;
    // The idle time starts now.
    socket!.setTimeout(options.idleMilliseconds);
    socket!.resume();
  }

  function answer(etag: string): void {
    if (phase.name !== 'finishing') return;
    phase = { name: 'waiting' };
    const seconds = Math.floor(options.keepAliveMilliseconds / 1_000);
    write(200, `ETag: "${etag}"\r\nContent-Length: 0\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`, '');
    if (socket!.readableEnded) return void socket!.destroySoon();
    socket!.setTimeout(options.keepAliveMilliseconds + keepAliveMargin);
    socket!.resume();
  }

  /**
   * Sends the refusal, continues to read for a while and closes. A sender that is cut off while it sends may never see
   * the answer.
   */
  function refuse({ status, code, message, headers }: Refusal): void {
    if (phase.name === 'closed' || phase.name === 'refused') return;
    // The buffer is not returned to the pool: the kernel may write to it until the next read.
    if (phase.name === 'body') phase.part.discard();
    phase = { name: 'refused' };
    const body = errorDocument(code, message);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = `Content-Type: application/xml\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`;
    write(status, `${lines.join('')}${length}`, body);
    socket!.end();
    socket!.setTimeout(0);
    setTimeout(() => socket!.destroy(), lingerMilliseconds).unref();
    socket!.resume();
  }

  function write(status: number, headers: string, body: string): void {
    const date = new Date().toUTCString();
    socket!.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${date}\r\n${options.answerHeaders}${headers}\r\n${body}`);
  }

  /** The connection is no longer read. */
  function close(): void {
    const left = phase;
    phase = { name: 'closed' };
    if (left.name === 'handed over') left.to.destroy();
    if (left.name !== 'body') return;
    left.part.give(left.buffer);
    left.part.discard();
  }
}
