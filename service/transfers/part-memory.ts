import { createSmallBuffers } from './small-buffers.ts';

/** What one transfer holds of the memory for parts. */
export interface TransferMemory {
  /** The most that the transfer may hold, in bytes. */
  readonly capacity: number;
  /**
   * Resolves when so many bytes are the transfer's; the returned function gives them back. More than `capacity` is taken for
   * all of it. Within a transfer first come, first served, so that a large part is not overtaken for ever. Rejects with the
   * signal's reason.
   */
  acquire(bytes: number, signal: AbortSignal): Promise<() => void>;
  /** Buffers that hold exactly so many bytes together, of what was acquired. Larger ones are shared memory. */
  take(bytes: number): Buffer[];
  /** They will be written over: only what nobody reads any more may be given. What is not given is collected as usual. */
  give(buffers: readonly Buffer[]): void;
  /** When the transfer has ended. Its buffers stay for the next one. */
  close(): void;
}

/** The memory for parts of all transfers of a process. */
export interface PartMemory {
  open(): TransferMemory;
  /**
   * From now on transfers together start only while they hold less than this share of what they may, from 0 to 1, and take turns.
   * One that holds nothing waits a second at most, so that it goes on whatever the others do.
   */
  limit(share: number): void;
}

interface Waiter {
  readonly bytes: number;
  /** It has waited for as long as one may that holds nothing. */
  isOverdue: boolean;
  readonly start: () => void;
}

interface Account {
  used: number;
  readonly waiters: Waiter[];
}

/** Milliseconds that a transfer which holds nothing waits at most. */
const longestWait = 1_000;

/** Bytes of a buffer that is used again. */
const bufferBytes = 512 * 1024;

/**
 * `reserved` bytes are each transfer's own; `shared` ones go to the transfer that holds least, so that none keeps the others
 * waiting. One that holds nothing never waits: a part whose server takes its time is nobody else's trouble.
 *
 * Buffers are used again. New ones would have to be cleared and collected, which costs more than sending does; and V8, which
 * does not count shared memory, would let what one transfer after the other leaves lie for long.
 */
export function createPartMemory({ reserved, shared }: { readonly reserved: number; readonly shared: number }): PartMemory {
  const accounts = new Set<Account>();
  let sharedUsed = 0;
  let used = 0;
  let share = 1;
  const free: Buffer[] = [];
  const small = createSmallBuffers();

  const ofShared = (used: number): number => Math.max(0, used - reserved);
  const change = (account: Account, bytes: number): void => {
    sharedUsed -= ofShared(account.used);
    account.used += bytes;
    used += bytes;
    sharedUsed += ofShared(account.used);
  };

  /** The next that may start. Who waits for shared bytes has them before those who hold more. */
  function nextWaiter(): Waiter | undefined {
    let isWaitedFor = false;
    const isLimited = share < 1 && used >= share * (accounts.size * reserved + shared);
    for (const account of [...accounts].sort((one, other) => one.used - other.used)) {
      const [first] = account.waiters;
      if (!first || (isLimited && !(first.isOverdue && account.used === 0))) continue;
      const needed = ofShared(account.used + first.bytes) - ofShared(account.used);
      if (account.used === 0 || needed === 0 || (!isWaitedFor && sharedUsed + needed <= shared)) {
        // Of those that hold as much, the others come before it the next time.
        accounts.delete(account);
        accounts.add(account);
        return account.waiters.shift();
      }
      isWaitedFor = true;
    }
    return undefined;
  }

  function startWaiters(): void {
    for (let next = nextWaiter(); next; next = nextWaiter()) next.start();
  }

  return {
    limit(next) {
      share = next;
      startWaiters();
    },
    open() {
      const account: Account = { used: 0, waiters: [] };
      const capacity = reserved + shared;
      accounts.add(account);
      return {
        capacity,
        acquire(wanted, signal) {
          if (signal.aborted) return Promise.reject(signal.reason as Error);
          const bytes = Math.min(wanted, capacity);
          return new Promise((resolve, reject) => {
            const abort = (): void => {
              clearTimeout(overdue);
              account.waiters.splice(account.waiters.indexOf(waiter), 1);
              reject(signal.reason as Error);
              startWaiters();
            };
            const waiter: Waiter = {
              bytes,
              isOverdue: false,
              start() {
                clearTimeout(overdue);
                signal.removeEventListener('abort', abort);
                change(account, bytes);
                let isReleased = false;
                resolve(() => {
                  if (isReleased) return;
                  isReleased = true;
                  change(account, -bytes);
                  startWaiters();
                });
              },
            };
            signal.addEventListener('abort', abort, { once: true });
            const overdue = setTimeout(() => {
              waiter.isOverdue = true;
              startWaiters();
            }, longestWait);
            account.waiters.push(waiter);
            startWaiters();
          });
        },
        take(bytes) {
          // Half of a buffer would be wasted on it.
          if (bytes <= bufferBytes / 2) return [small.take(bytes)];
          const taken: Buffer[] = [];
          for (let left = bytes; left > 0; left -= bufferBytes) {
            const buffer = free.pop() ?? Buffer.from(new SharedArrayBuffer(bufferBytes));
            taken.push(left < bufferBytes ? buffer.subarray(0, left) : buffer);
          }
          return taken;
        },
        give(buffers) {
          for (const { buffer } of buffers) {
            if (buffer.byteLength === bufferBytes) free.push(Buffer.from(buffer));
            else small.give(buffer as ArrayBuffer);
          }
        },
        close: () => void accounts.delete(account),
      };
    },
  };
}
