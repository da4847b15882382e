import { createCipheriv } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** What `writer.ts` starts: an order is a line of JSON, and so is the answer once it is done. */

interface Order {
  readonly do: 'append' | 'write' | 'truncate' | 'close';
  readonly path: string;
  readonly bytes: number;
  readonly seed: number;
  readonly at: number;
  readonly text: string;
  readonly size: number;
}

const open = new Map<string, number>();

function opened(path: string): number {
  const known = open.get(path);
  if (known !== undefined) return known;
  const descriptor = openSync(path, 'a+');
  closeSync(descriptor);
  const writable = openSync(path, 'r+');
  open.set(path, writable);
  return writable;
}

/** Bytes that do not repeat. */
function bytesOf(seed: number, count: number): Buffer {
  const key = Buffer.alloc(16);
  // Seeds of a soak have nine digits, and are multiplied.
  key.writeUInt32LE(seed >>> 0);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(count));
}

for await (const line of createInterface(process.stdin)) {
  const order = JSON.parse(line) as Order;
  const file = opened(order.path);
  switch (order.do) {
    case 'append':
      writeSync(file, bytesOf(order.seed, order.bytes), 0, order.bytes, fstatSync(file).size);
      break;
    case 'write':
      writeSync(file, order.text, order.at);
      break;
    case 'truncate':
      ftruncateSync(file, order.size);
      break;
    case 'close':
      closeSync(file);
      open.delete(order.path);
  }
  process.stdout.write('done\n');
}
