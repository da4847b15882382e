import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBatchGet, rangesAnswered } from '../../storage/batch-get.ts';
import { confirmedParts, isBatchPut } from '../../storage/batch-put.ts';
import { type Message, messagesOf, requestLength, responseLength, statusOf } from './messages.ts';
import { beginning, byteAt, type CannedAnswer, type Fault, type Plan } from './plan.ts';
import type { Traffic } from './traffic.ts';

export interface ConnectionPorts {
  readonly plan: Plan;
  readonly traffic: Traffic;
  readonly upstream: URL;
  /** Opened beside the client's own; whoever closes the proxy destroys it too. */
  readonly opened: (socket: Socket) => void;
  /** Nothing moves on it any more, whatever the client does. */
  readonly stalled: (client: Socket, fault: Fault) => void;
}

/** A request under way: one at a time, since nobody here pipelines. */
interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly what: string;
  readonly begun: number;
  readonly fault: Fault | null;
  /** Of what has reached the server. */
  readonly sent: ReturnType<typeof createHash>;
  /** The same, where it is many parts: each is confirmed by itself. */
  readonly parts: Buffer[] | null;
  /** The same, where it asks for many objects: each is given by itself. */
  readonly targets: Buffer[] | null;
}

/** The fault has ended the connection. */
class Over extends Error {
  override readonly name = 'Over';
}

/** Passes on what a client sends and is answered, byte by byte, until one of them ends or a fault does. */
export async function serve(client: Socket, ports: ConnectionPorts): Promise<void> {
  const { plan, traffic } = ports;
  const server = connectTo(ports);
  let current: Exchange | null = null;
  let held = false;

  async function requests(): Promise<void> {
    for await (const message of messagesOf(client, requestLength)) {
      const exchange = begin(message);
      current = exchange;
      if (exchange.fault?.do === 'duplicate') await sendTwice(message, exchange);
      else if (isAnswer(exchange.fault) && placeOf(exchange.fault).of === 'request') await answerInstead(message, exchange);
      else await pass(message, server, exchange, 'request');
    }
  }

  async function answers(): Promise<void> {
    const length: typeof requestLength = (line, fields) => responseLength(current?.method ?? '', line, fields);
    for await (const message of messagesOf(server, length)) {
      const exchange = current!;
      const status = statusOf(message.line);
      if (status < 200) {
        await write(client, message.head);
        continue;
      }
      const confirmed = status < 300 && (exchange.method === 'PUT' || exchange.method === 'GET');
      const note = (): void => {
        if (!confirmed) return;
        const { method, begun, sent } = exchange;
        traffic.passages.push({ method, what: method === 'PUT' ? sent.digest('hex') : exchange.what, begun, answered: traffic.moment() });
      };
      // What the storage has taken is confirmed, whether or not its sender hears of it.
      if (exchange.method === 'PUT') note();
      const whole = exchange.parts && status < 300 ? await noted(message, exchange, exchange.parts) : message;
      const given = exchange.targets && status < 300 ? keeping(message) : null;
      if (isAnswer(exchange.fault) && placeOf(exchange.fault).of === 'response') await replaceAnswer(whole, exchange);
      else await pass(given?.message ?? whole, client, exchange, 'response');
      if (exchange.method !== 'PUT') note();
      if (given && given.bytes().length > 0) noteObjects(exchange, given.bytes());
    }
  }

  /** Reads what the storage says of many parts, and notes those that it has taken. */
  async function noted(message: Message, { begun }: Exchange, parts: readonly Buffer[]): Promise<Message> {
    const answer: Buffer[] = [];
    for await (const bytes of message.body) answer.push(Buffer.from(bytes));
    const answered = traffic.moment();
    for (const what of confirmedParts(Buffer.concat(parts), Buffer.concat(answer).toString())) {
      traffic.passages.push({ method: 'PUT', what, begun, answered });
    }
    return {
      ...message,
      body: (async function* () {
        yield* answer;
      })(),
    };
  }

  /** Each object of an answer that went out whole. */
  function noteObjects({ targets, begun }: Exchange, answer: Buffer): void {
    const answered = traffic.moment();
    for (const what of rangesAnswered(Buffer.concat(targets!), answer)) traffic.passages.push({ method: 'GET', what, begun, answered });
  }

  /** Bytes of a request that reach the server. */
  function sends(exchange: Exchange, bytes: Buffer): void {
    exchange.sent.update(bytes);
    exchange.parts?.push(Buffer.from(bytes));
    exchange.targets?.push(Buffer.from(bytes));
  }

  function begin({ line, fields }: Message): Exchange {
    const [method = '', target = ''] = line.split(' ');
    const path = target.split('?')[0]!;
    const begun = traffic.moment();
    const fault = plan.take({ method, path });
    traffic.request({ method, path });
    return {
      method,
      path,
      what: `${path} ${fields.get('range') ?? ''}`,
      begun,
      fault,
      sent: createHash('sha256'),
      parts: isBatchPut(method, path) ? [] : null,
      targets: isBatchGet(method, path) ? [] : null,
    };
  }

  /** Passes a message on; on its way it meets the fault that is planned for this side of the exchange. */
  async function pass(message: Message, to: Socket, exchange: Exchange, of: 'request' | 'response'): Promise<void> {
    const fault = exchange.fault && happensOnTheWay(exchange.fault) && placeOf(exchange.fault).of === of ? exchange.fault : null;
    const { head, length } = message;
    if (held) throw new Over();
    // Of what stalls, something has to be left to come.
    const rest = fault?.do === 'stall' ? 1 : 0;
    if (fault && (placeOf(fault).part === 'head' || (rest > 0 && !length))) {
      const at = Math.min(placeOf(fault).part === 'head' ? byteAt(placeOf(fault), head.length) : head.length, head.length - rest);
      await write(to, head.subarray(0, at));
      await strike(fault);
      await write(to, head.subarray(at));
    } else await write(to, head);

    const inBody = fault && placeOf(fault).part === 'body' && (rest === 0 || length) ? fault : null;
    const total = length ?? 0;
    const at = inBody ? Math.min(byteAt(placeOf(inBody), total), inBody.do === 'corrupt' ? total - 1 : total - rest) : -1;
    let position = 0;
    if (inBody && at === 0 && inBody.do !== 'corrupt') await strike(inBody);
    for await (const bytes of message.body) {
      const here = at - position;
      position += bytes.length;
      if (inBody?.do === 'corrupt' && here >= 0 && here < bytes.length) {
        bytes[here] = bytes[here]! ^ 0xff;
        plan.fired(inBody);
      }
      const strikes = inBody && inBody.do !== 'corrupt' && here > 0 && here <= bytes.length;
      if (of === 'request') sends(exchange, bytes);
      await writeBody(to, strikes ? bytes.subarray(0, here) : bytes);
      if (!strikes) continue;
      await strike(inBody);
      await writeBody(to, bytes.subarray(here));
    }
  }

  async function writeBody(to: Socket, bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const wait = traffic.body(bytes.length);
    if (wait >= 1) await sleep(wait);
    await write(to, bytes);
  }

  /** Does what the fault says; throws where nothing comes after it. */
  async function strike(fault: Fault): Promise<void> {
    plan.fired(fault);
    const { do: deed } = fault;
    if (typeof deed === 'object') {
      if ('delay' in deed) await sleep(deed.delay);
      else if ('until' in deed) await deed.until;
      return;
    }
    if (deed === 'cut') {
      client.resetAndDestroy();
      server.resetAndDestroy();
    } else if (deed === 'truncate') {
      for (const socket of [client, server]) socket.end();
    } else if (deed === 'stall') {
      held = true;
      ports.stalled(client, fault);
      if (!client.destroyed) await once(client, 'close');
      server.destroy();
    }
    throw new Over();
  }

  async function sendTwice(message: Message, exchange: Exchange): Promise<void> {
    const parts = [message.head];
    for await (const bytes of message.body) {
      sends(exchange, bytes);
      parts.push(Buffer.from(bytes));
    }
    const whole = Buffer.concat(parts);
    const first = connectTo(ports);
    try {
      await write(first, whole);
      for await (const answer of messagesOf(first, (line, fields) => responseLength(exchange.method, line, fields))) {
        for await (const _ of answer.body);
        break;
      }
    } finally {
      first.destroy();
    }
    plan.fired(exchange.fault!);
    await write(server, whole);
  }

  async function answerInstead(message: Message, exchange: Exchange): Promise<void> {
    for await (const _ of message.body);
    plan.fired(exchange.fault!);
    await write(client, answerOf(exchange.fault!));
  }

  async function replaceAnswer(message: Message, exchange: Exchange): Promise<void> {
    for await (const _ of message.body);
    plan.fired(exchange.fault!);
    await write(client, answerOf(exchange.fault!));
  }

  const end = (): void => {
    // Of a stalled connection nobody hears anything, not even that its other half is gone.
    if (!held) client.destroy();
    server.destroy();
    if (current?.fault) plan.missed(current.fault);
  };
  const afterFault = (side: Socket) => (error: unknown) => {
    // After a truncation each side closes by itself.
    if (error instanceof Over) discard(side);
    else end();
  };
  await Promise.all([requests().then(end, afterFault(client)), answers().then(end, afterFault(server))]);
}

/** Reads on without looking, so that it is noticed when the other side closes. */
export function discard(socket: Socket): void {
  socket.removeAllListeners('readable');
  socket.resume();
}

function connectTo({ upstream, opened }: ConnectionPorts): Socket {
  const socket = connect({ host: upstream.hostname, port: Number(upstream.port), noDelay: true });
  socket.on('error', () => {});
  opened(socket);
  return socket;
}

/** A message that is remembered as the server sent it while it passes. */
function keeping(message: Message): { readonly message: Message; readonly bytes: () => Buffer } {
  const kept: Buffer[] = [];
  const body = async function* (): AsyncGenerator<Buffer> {
    for await (const bytes of message.body) {
      kept.push(Buffer.from(bytes));
      yield bytes;
    }
  };
  return { message: { ...message, body: body() }, bytes: () => Buffer.concat(kept) };
}

/** The others concern the message as a whole. */
function happensOnTheWay({ do: deed }: Fault): boolean {
  return typeof deed === 'string' ? deed !== 'duplicate' : 'delay' in deed || 'until' in deed;
}

const placeOf = (fault: Fault) => fault.at ?? beginning;

function isAnswer(fault: Fault | null): fault is Fault & { readonly do: { readonly answer: CannedAnswer } } {
  return fault !== null && typeof fault.do === 'object' && 'answer' in fault.do;
}

function answerOf({ do: deed }: Fault): Buffer {
  if (typeof deed === 'string' || !('answer' in deed)) throw new Error('This fault has no answer.');
  const { status, headers = {}, body = '' } = deed.answer;
  const fields = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
  return Buffer.from([`HTTP/1.1 ${status} Planned`, ...fields.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n'));
}

function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (bytes.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
}
