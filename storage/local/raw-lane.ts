import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorDocument } from '../xml.ts';
import { BareStream, withOwnBuffers } from './bare-socket.ts';
import type { BufferPool } from './buffer-pool.ts';
import { parseRawPut, type RawPut } from './raw-head.ts';
import { lingerMilliseconds, type Refusal } from './refusal.ts';

/** A part that was taken on. */
export interface IncomingPart {
  /** Takes the next bytes, which it holds until `done`. `false`: enough for now, no more before `onRoom`. */
  add(bytes: Buffer, done: () => void): boolean;
  /** After the last byte: puts the part in place and gives its etag. Rejects with a `Refusal`. */
  finish(): Promise<string>;
  /** Nothing stays of it. */
  discard(): void;
}

export interface PartEvents {
  /** More bytes may come. */
  readonly onRoom: () => void;
  /** It cannot be kept. No more bytes may come. */
  readonly onFailure: (refusal: Refusal) => void;
}

export interface RawLaneOptions {
  /** Takes a part on where signature, length, memory and disk allow it. `null`: the ordinary server answers. */
  readonly accept: (put: RawPut, events: PartEvents) => IncomingPart | null;
  /** Serves a connection in the ordinary way from now on. */
  readonly handOver: (connection: Socket | BareStream) => void;
  /** Of strides. */
  readonly buffers: BufferPool;
  /** A connection on which nothing moves for so long in the midst of a part is closed. */
  readonly idleMilliseconds: number;
  /** How long a connection may wait for its first request. */
  readonly headMilliseconds: number;
  /** How long it may wait for another one. */
  readonly keepAliveMilliseconds: number;
  /** Lines of every answer, each with its end. */
  readonly answerHeaders: string;
}

/**
 * Large parts by plain HTTP, which the kernel reads straight into the buffers that go to the disk: with a parser in
 * between every byte is read into memory of its own, which costs twice the CPU. It knows one request, that of
 * `parseRawPut`, for a part that is accepted. At anything else the connection goes to the ordinary server, with all
 * its bytes and for good.
 */
export interface RawLane {
  connected(socket: Socket): void;
  /** Closes the connections that wait for a request. */
  closeIdle(): void;
  closeAll(): void;
}

/** Smaller parts gain nothing. It is also more than comes with a head, so that no part ends in the bytes it begins in. */
export const smallestRawPart = 256 * 1024;

const headSize = 16 * 1024;

/** A connection that the ordinary server does not have. */
interface Connection {
  readonly socket: Socket;
  readonly idle: () => boolean;
}

export function createRawLane(options: RawLaneOptions): RawLane {
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

/** What can be received here, from the bytes that a connection has sent. */
function putIn(bytes: Buffer): RawPut | null {
  const put = parseRawPut(bytes);
  return put && put.length >= smallestRawPart && put.length > bytes.length - put.headLength ? put : null;
}

/** Looks at the first bytes of a connection, which decide who serves it. */
function awaitFirst(socket: Socket, options: RawLaneOptions, connections: Set<Connection>): void {
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
  /** Answered with a refusal; what still comes is thrown away. */
  | { readonly name: 'refused' }
  | { readonly name: 'handed over'; readonly to: BareStream; readonly buffer: Buffer }
  | { readonly name: 'closed' };

/** Receives parts from a connection, beginning with this one. `false`: not possible, and nothing has happened. */
function receiveFrom(first: Socket, put: RawPut, early: Buffer, options: RawLaneOptions, connections: Set<Connection>): boolean {
  const { accept, handOver, buffers } = options;
  const head = Buffer.allocUnsafe(headSize);
  let phase: Phase = { name: 'waiting' };
  if (!begin(put, early)) return false;
  const socket = withOwnBuffers(first, { buffer: () => room(), callback: (count) => onRead(count) });
  if (!socket) {
    close();
    return false;
  }
  const connection: Connection = { socket, idle: () => phase.name === 'waiting' };
  connections.add(connection);
  socket.setTimeout(options.idleMilliseconds);
  socket.on('timeout', () => {
    // Whoever waits for our own disk is not to blame.
    if (phase.name === 'finishing' || (phase.name === 'body' && phase.paused)) socket.setTimeout(options.idleMilliseconds);
    else if (phase.name !== 'handed over' || !phase.to.emit('timeout')) socket.destroy();
  });
  socket.on('error', () => socket.destroy());
  socket.on('end', () => {
    if (phase.name === 'handed over') phase.to.push(null);
    // Who has sent a whole part may want no more than its answer.
    else if (phase.name !== 'finishing') socket.destroy();
  });
  socket.on('close', () => {
    connections.delete(connection);
    close();
  });
  return true;

  function begin(put: RawPut, early: Buffer): boolean {
    const part = accept(put, { onRoom, onFailure: refuse });
    if (!part) return false;
    const buffer = buffers.take();
    early.copy(buffer);
    phase = { name: 'body', part, buffer, filled: early.length, left: put.length - early.length, paused: false };
    return true;
  }

  /** Where the next bytes go: never beyond the part, so that those of another request stay in the kernel. */
  function room(): Buffer {
    if (phase.name === 'body') return phase.buffer.subarray(phase.filled, phase.filled + phase.left);
    return phase.name === 'handed over' ? phase.buffer : head;
  }

  /** Gives whether to go on reading. */
  function onRead(count: number): boolean {
    switch (phase.name) {
      case 'waiting':
        return onHead(head.subarray(0, count));
      case 'body':
        phase.filled += count;
        phase.left -= count;
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
    const to = new BareStream(socket!);
    phase = { name: 'handed over', to, buffer: Buffer.allocUnsafe(headSize) };
    connections.delete(connection);
    to.push(Buffer.from(bytes));
    handOver(to);
    return true;
  }

  function onBody(body: Phase & { name: 'body' }): boolean {
    const { part, buffer, filled, left } = body;
    if (left > 0 && filled < buffer.length) return true;
    const more = part.add(buffer.subarray(0, filled), () => buffers.give(buffer));
    if (phase !== body) return phase.name === 'refused';
    if (left === 0) {
      phase = { name: 'finishing' };
      part.finish().then(answer, refuse);
      return false;
    }
    // The same one again, if it is free already: it is still in the processor's cache.
    body.buffer = buffers.take();
    body.filled = 0;
    body.paused = !more;
    return more;
  }

  function onRoom(): void {
    if (phase.name !== 'body' || !phase.paused) return;
    phase.paused = false;
    // The sender's silence counts from here.
    socket!.setTimeout(options.idleMilliseconds);
    socket!.resume();
  }

  function answer(etag: string): void {
    if (phase.name !== 'finishing') return;
    phase = { name: 'waiting' };
    const seconds = Math.floor(options.keepAliveMilliseconds / 1_000);
    write(200, `ETag: "${etag}"\r\nContent-Length: 0\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`, '');
    if (socket!.readableEnded) return void socket!.destroySoon();
    socket!.setTimeout(options.keepAliveMilliseconds);
    socket!.resume();
  }

  /** Says no, reads on for a while, since who is cut off while sending may never see the answer, and closes. */
  function refuse({ status, code, message, headers }: Refusal): void {
    if (phase.name === 'closed' || phase.name === 'refused') return;
    // Its buffer does not go back to the pool: until the next bytes have come, the kernel may write there.
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

  /** The connection reads no more. */
  function close(): void {
    const left = phase;
    phase = { name: 'closed' };
    if (left.name === 'handed over') left.to.destroy();
    if (left.name !== 'body') return;
    buffers.give(left.buffer);
    left.part.discard();
  }
}
