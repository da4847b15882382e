import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Sleeper } from '#service/realtime/sleeper.ts';
import type { TeamChanges } from '#service/realtime/team-hub.ts';
import { teamEventStream } from '#service/realtime/team-stream.ts';

/** Of what a Team's stream says where a later one goes on: contract/event-streams.md §4. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openStream() {
  const stop = new AbortController();
  const sleeper = new Sleeper();
  const hub = { position: 'team.1' as string | null, changes: new Map() as TeamChanges };
  const pieces = teamEventStream(
    {
      continues: false,
      ended: false,
      wait: (milliseconds, signal) => sleeper.sleep(milliseconds, [signal]),
      take() {
        const { changes } = hub;
        hub.changes = new Map();
        return changes;
      },
      position: async () => hub.position,
      close: () => undefined,
    },
    {
      signal: stop.signal,
      now: () => new Date(),
      heard: async (changes) => [...changes.keys()].map((what) => ({ what })),
    },
  );
  const next = async () => ((await pieces.next()).value ?? '').split('\n');
  return { hub, sleeper, next, stop };
}

it('says with each message, and in silence, where a later stream goes on', async () => {
  const { hub, sleeper, next, stop } = openStream();
  expect(await next()).toContain('retry: 2000');
  expect((await next())[0]).toBe('id: team.1');
  hub.position = 'team.2';
  const silent = next();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await silent).toEqual(['id: team.2', ': still here', '', '']);
  hub.position = 'team.3';
  hub.changes = new Map([['tags', new Set()]]);
  sleeper.wake();
  const [id, data] = await next();
  expect([id, JSON.parse(data!.slice(6))]).toEqual([
    'id: team.3',
    expect.objectContaining({ type: 'changed', changes: [{ what: 'tags' }] }),
  ]);
  stop.abort();
});

it('names no position where something might be missed', async () => {
  const { hub, next, stop } = openStream();
  hub.position = null;
  await next();
  const [id] = await next();
  expect(id).toMatch(/^id: [0-9a-f-]{36}$/);
  const silent = next();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await silent).toEqual([': still here', '', '']);
  stop.abort();
});
