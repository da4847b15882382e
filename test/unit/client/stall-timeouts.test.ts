import { describe, expect, test } from 'vitest';
import { createStallTimeouts } from '#client/stall-timeouts.ts';

const asked = (bytes = 0, path = '/v1/packages/p/files/f/finalize', server = 'http://s') =>
  ({ method: 'POST', url: new URL(`${server}${path}?signature=1`), bytes }) as const;
const MiB = 1024 * 1024;

describe('how long others may be silent', () => {
  test('15 s, for an answer to begin and between two pieces of it', () => {
    const wait = createStallTimeouts().waitFor(asked());
    expect([wait.inAll, wait.afterSending(0), wait.betweenPieces]).toEqual([15_000, 15_000, 15_000]);
  });

  test('a storage has time to write down a large chunk, and a slow line to bring what the system has taken', () => {
    const wait = createStallTimeouts().waitFor(asked(80 * MiB));
    expect(wait.afterSending(0)).toBe(25_000);
    expect(wait.afterSending(60_000)).toBe(85_000);
    expect(wait.afterSending(3_600_000)).toBe(300_000);
  });

  test('what goes out whole has the time that such a request took before', () => {
    const stallTimeouts = createStallTimeouts();
    const body = 256 * 1024;
    expect(stallTimeouts.waitFor(asked(body)).inAll).toBe(31_000);
    stallTimeouts.waitFor(asked(body)).answered(100);
    expect(stallTimeouts.waitFor(asked(body)).inAll).toBe(15_200);
    // A line of 10 kB/s for each connection; small calls say nothing of it.
    for (let time = 0; time < 20; time++) {
      stallTimeouts.waitFor(asked(body)).answered(25_600);
      stallTimeouts.waitFor(asked(500)).answered(20);
    }
    expect(stallTimeouts.waitFor(asked(body)).inAll).toBeGreaterThan(60_000);
    expect(stallTimeouts.waitFor(asked(body, '/x', 'http://other')).inAll).toBe(31_000);
  });

  test('what stalls again and again is waited for longer, up to five minutes: its server may be slow', () => {
    const stallTimeouts = createStallTimeouts();
    const waits = Array.from({ length: 7 }, () => {
      const wait = stallTimeouts.waitFor(asked());
      wait.stalled();
      return wait.inAll / 1_000;
    });
    expect(waits).toEqual([15, 15, 30, 60, 120, 240, 300]);
    stallTimeouts.waitFor(asked()).answered(50);
    expect(stallTimeouts.waitFor(asked()).inAll).toBe(15_000);
  });

  test('requests that were under way together stall once, not each', () => {
    const stallTimeouts = createStallTimeouts();
    for (let round = 0; round < 2; round++) {
      const together = Array.from({ length: 20 }, (_, n) => stallTimeouts.waitFor(asked(0, `/parts/${n}`)));
      for (const wait of together) wait.stalled();
    }
    expect(stallTimeouts.waitFor(asked(0, '/parts/21')).inAll).toBe(30_000);
  });

  test('a connection that stalls while others of the same call are answered says nothing of the server', () => {
    const stallTimeouts = createStallTimeouts();
    const stalling = stallTimeouts.waitFor(asked());
    stallTimeouts.waitFor(asked()).answered(20);
    stalling.stalled();
    expect(stallTimeouts.waitFor(asked()).inAll).toBe(15_000);
  });

  test('where half of them stall, the others are waited for no longer; a call that needs long is', () => {
    const stallTimeouts = createStallTimeouts();
    for (let round = 0; round < 3; round++) {
      stallTimeouts.waitFor(asked(0, '/slow')).stalled();
      stallTimeouts.waitFor(asked(0, '/quick')).answered(20);
    }
    expect(stallTimeouts.waitFor(asked(0, '/quick')).inAll).toBe(15_000);
    expect(stallTimeouts.waitFor(asked(0, '/slow')).inAll).toBe(60_000);
  });
});
