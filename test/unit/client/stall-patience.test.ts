import { describe, expect, test } from 'vitest';
import { createStallPatience } from '#client/stall-patience.ts';

const asked = (bytes = 0, path = '/v1/packages/p/files/f/finalize', server = 'http://s') =>
  ({ method: 'POST', url: new URL(`${server}${path}?signature=1`), bytes }) as const;
const MiB = 1024 * 1024;

describe('how long others may be silent', () => {
  test('15 s, for an answer to begin and between two pieces of it', () => {
    const wait = createStallPatience().waitFor(asked());
    expect([wait.inAll, wait.afterSending(0), wait.betweenPieces]).toEqual([15_000, 15_000, 15_000]);
  });

  test('a storage has time to write down a large chunk, and a slow line to bring what the system has taken', () => {
    const wait = createStallPatience().waitFor(asked(80 * MiB));
    expect(wait.afterSending(0)).toBe(25_000);
    expect(wait.afterSending(60_000)).toBe(85_000);
    expect(wait.afterSending(3_600_000)).toBe(300_000);
  });

  test('what goes out whole has the time that such a request took before', () => {
    const patience = createStallPatience();
    const body = 256 * 1024;
    expect(patience.waitFor(asked(body)).inAll).toBe(31_000);
    patience.waitFor(asked(body)).answered(100);
    expect(patience.waitFor(asked(body)).inAll).toBe(15_200);
    // A line of 10 kB/s for each connection; small calls say nothing of it.
    for (let time = 0; time < 20; time++) {
      patience.waitFor(asked(body)).answered(25_600);
      patience.waitFor(asked(500)).answered(20);
    }
    expect(patience.waitFor(asked(body)).inAll).toBeGreaterThan(60_000);
    expect(patience.waitFor(asked(body, '/x', 'http://other')).inAll).toBe(31_000);
  });

  test('what stalls again and again is waited for longer, up to five minutes: its server may be slow', () => {
    const patience = createStallPatience();
    const waits = Array.from({ length: 7 }, () => {
      const wait = patience.waitFor(asked());
      wait.stalled();
      return wait.inAll / 1_000;
    });
    expect(waits).toEqual([15, 15, 30, 60, 120, 240, 300]);
    patience.waitFor(asked()).answered(50);
    expect(patience.waitFor(asked()).inAll).toBe(15_000);
  });

  test('requests that were under way together stall once, not each', () => {
    const patience = createStallPatience();
    for (let round = 0; round < 2; round++) {
      const together = Array.from({ length: 20 }, (_, n) => patience.waitFor(asked(0, `/parts/${n}`)));
      for (const wait of together) wait.stalled();
    }
    expect(patience.waitFor(asked(0, '/parts/21')).inAll).toBe(30_000);
  });

  test('a connection that stalls while others of the same call are answered says nothing of the server', () => {
    const patience = createStallPatience();
    const stalling = patience.waitFor(asked());
    patience.waitFor(asked()).answered(20);
    stalling.stalled();
    expect(patience.waitFor(asked()).inAll).toBe(15_000);
  });

  test('where half of them stall, the others are waited for no longer; a call that needs long is', () => {
    const patience = createStallPatience();
    for (let round = 0; round < 3; round++) {
      patience.waitFor(asked(0, '/slow')).stalled();
      patience.waitFor(asked(0, '/quick')).answered(20);
    }
    expect(patience.waitFor(asked(0, '/quick')).inAll).toBe(15_000);
    expect(patience.waitFor(asked(0, '/slow')).inAll).toBe(60_000);
  });
});
