import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentEvent } from '#protocol/agent/events.ts';
import { inAll } from '#test/support/level.ts';
import { type AgentProcess, startAgentProcess } from '../support/engine/agent-process.ts';
import { putTransfers } from '../support/engine/stored-transfers.ts';
import { tempFolder } from '../support/system/temp-folder.ts';

/** The event stream of a real agent over its restarts: orderly, and killed. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let agent: AgentProcess;
const start = async () => {
  agent = await startAgentProcess({ dataDir: folder.path, serviceUrl: 'http://127.0.0.1:9' });
};

beforeAll(async () => {
  folder = await tempFolder();
  const phase = () => ({ state: 'paused', since: 0, until: null }) as const;
  await putTransfers(`${folder.path}/agent`, { count: 3, phase });
  await start();
});
afterAll(async () => {
  await agent?.kill();
  await folder?.remove();
});

const urgent = (number: number, priority: string) => agent.call('PATCH', `/transfers/many-000000${number}`, { priority });

/** Reads the stream after an id until as many events have come. */
async function read(after: number | null, count: number, happen = () => urgent(0, 'high')): Promise<AgentEvent[]> {
  const stop = new AbortController();
  const headers: Record<string, string> = after === null ? {} : { 'last-event-id': String(after) };
  const reply = await fetch(`${agent.url}/api/v1/events`, { headers, signal: stop.signal });
  const got: AgentEvent[] = [];
  let text = '';
  for await (const bytes of reply.body!) {
    text += new TextDecoder().decode(bytes);
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) break;
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      if (data) got.push(JSON.parse(data));
      text = text.slice(end + 2);
    }
    if (got.length >= count) break;
    // The stream is open from its first bytes on.
    if (after === null && got.length === 0) await happen();
  }
  stop.abort();
  return got;
}

const of = (events: readonly AgentEvent[]) => events.map((event) => ('transfer' in event ? event.transfer.id.at(-1) : event.type));

it('goes on for who was away while the agent was stopped and started', async () => {
  const [first] = await read(null, 1);
  await urgent(1, 'high');
  await urgent(2, 'high');
  await urgent(1, 'low');
  await agent.stop();
  await start();
  await urgent(0, 'low');
  const missed = await read(first!.id, 3);
  expect(of(missed)).toEqual(['2', '1', '0']);
  expect(missed.map((event) => 'transfer' in event && event.transfer.priority)).toEqual(['high', 'low', 'low']);
  const ids = missed.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(ids[0]).toBeGreaterThan(first!.id);
  // A page that begins anew asks by what it has read of the lists meanwhile.
  expect(of(await read(ids[1]!, 1))).toEqual(['0']);
});

it(
  'tells of settings, and that a speed limit is another one',
  inAll('unit/agent-api/events; the other events of an agent that is stopped'),
  async () => {
    const change = { language: 'de', start_at_login: true };
    const [changed] = await read(null, 1, () => agent.call('PUT', '/settings', change));
    expect(changed).toMatchObject({ type: 'settings.changed', settings: { ...change, letter_keys: true } });
    const limit = await agent.call<Record<string, unknown>>('GET', '/settings/upload_rate_limit');
    const again = await read(null, 1, () => agent.call('PUT', '/settings/upload_rate_limit', { ...limit, enabled: true }));
    expect(of(again)).toEqual(['settings.changed']);
    await agent.stop();
    await start();
    // Who was away hears of them as they are now.
    expect((await read(changed!.id - 1, 1))[0]).toMatchObject({ type: 'settings.changed', settings: change });
  },
);

it('says that something may be missing after a crash, and ids go on growing', async () => {
  const [first] = await read(null, 1);
  await agent.kill();
  await start();
  const [lost] = await read(first!.id, 1);
  expect(lost!.type).toBe('events.lost');
  await urgent(2, 'normal');
  const [next] = await read(lost!.id, 1);
  expect([of([next!]), next!.id > first!.id]).toEqual([['2'], true]);
});
