import { describe, expect, it } from 'vitest';
import { keepScreenAwake } from '#ui/screen-awake.ts';

/** A page that can be hidden, and a browser that gives locks when the test says so. */
function stage({ refuses = false } = {}) {
  let visibilityState: DocumentVisibilityState = 'visible';
  const listeners = new Set<() => void>();
  const locks: { released: boolean }[] = [];
  const pending: (() => void)[] = [];
  const document = {
    get visibilityState() {
      return visibilityState;
    },
    addEventListener: (_: string, listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener),
  } as unknown as Document;
  const wakeLock = {
    request: () =>
      new Promise<{ release(): Promise<void> }>((resolve, reject) => {
        pending.push(() => {
          if (refuses) return reject(new DOMException('low battery', 'NotAllowedError'));
          const lock = { released: false };
          locks.push(lock);
          resolve({
            async release() {
              lock.released = true;
            },
          });
        });
      }),
  };
  return {
    document,
    wakeLock,
    listeners,
    held: () => locks.filter(({ released }) => !released).length,
    asked: () => pending.length,
    async grant() {
      for (const one of pending.splice(0)) one();
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    },
    show(state: DocumentVisibilityState) {
      visibilityState = state;
      // A browser takes the lock from a hidden page.
      if (state === 'hidden') for (const lock of locks) lock.released = true;
      for (const listener of listeners) listener();
    },
  };
}

describe('keeping the screen awake', () => {
  it('takes the lock, takes it again when the page comes back, and gives it back at the end', async () => {
    const at = stage();
    const end = keepScreenAwake(at);
    await at.grant();
    expect(at.held()).toBe(1);
    at.show('hidden');
    expect([at.held(), at.asked()]).toEqual([0, 0]);
    at.show('visible');
    await at.grant();
    expect(at.held()).toBe(1);
    end();
    expect([at.held(), at.listeners.size]).toEqual([0, 0]);
  });

  it('gives back a lock that is granted only after the end', async () => {
    const at = stage();
    keepScreenAwake(at)();
    await at.grant();
    expect(at.held()).toBe(0);
  });

  it('does without where the browser refuses, or has no such thing', async () => {
    const refused = stage({ refuses: true });
    const end = keepScreenAwake(refused);
    await refused.grant();
    end();
    expect(refused.held()).toBe(0);
    expect(() => keepScreenAwake({ wakeLock: undefined, document: refused.document })()).not.toThrow();
  });
});
