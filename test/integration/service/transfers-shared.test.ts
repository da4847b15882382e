import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimTransfer } from '#service/transfers/lease.ts';
import { putPackage } from '#test/support/service/packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type FakeClouds, useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import { askTransfer, putConnection, putTransfer, sentPackage, threeFiles } from '#test/support/service/transfers.ts';
import { addTeam } from '#test/support/service/users.ts';

describe('places of a process', () => {
  let t: TestService;
  beforeAll(async () => {
    // It takes on nothing by itself.
    t = await startTestService({ processes: 1, transfers: { perNode: 0 } });
  });
  afterAll(() => t?.close());

  /** Transfers that are due, each of a connection of its own, the first for the longest. */
  async function due(teamId: string, count: number, since: Date): Promise<void> {
    const packageId = await putPackage(t, { team_id: teamId, created_by: null });
    for (let n = 0; n < count; n++) {
      const connection = await putConnection(t, { team_id: teamId });
      await putTransfer(t, { package_id: packageId, cloud_connection_id: connection, due_at: new Date(since.getTime() + n) });
    }
  }

  it('go to the Team that has the fewest under way, and never all to one while others could come', async () => {
    const { db } = t.service.services;
    const room = { perConnection: 2, singleUse: true, fullTeams: [] };
    await due(t.teamId, 4, new Date(0));
    // Alone, it has all places.
    const alone = await claimTransfer(db, { ...room, fullTeams: [t.teamId] });
    expect(alone?.teamId).toBe(t.teamId);
    const other = await addTeam(t, 'Other');
    await due(other, 2, new Date(60_000));
    const claimed: (string | undefined)[] = [];
    for (let n = 0; n < 4; n++) claimed.push((await claimTransfer(db, room))?.teamId);
    expect(claimed).toEqual([other, t.teamId, other, t.teamId]);
    expect(await claimTransfer(db, { ...room, fullTeams: [t.teamId] })).toBeNull();
    expect((await claimTransfer(db, room))?.teamId).toBe(t.teamId);
    expect(await claimTransfer(db, room)).toBeNull();
  });
});

describe('a process that stops', () => {
  it('calls another to what it puts down', async () => {
    const t = await startTestService({ processes: 2 });
    const clouds = t.services.map((one): FakeClouds => useInMemoryClouds({ services: [one] }));
    const rung = [0, 0];
    const held = Promise.withResolvers<number>();
    for (const [at, { services }] of t.services.entries()) {
      const { transfers } = services;
      // By a job alone: a process that looks by itself does not come by here.
      Object.assign(services, {
        transfers: {
          ...transfers,
          wake() {
            rung[at]!++;
            transfers.wake();
          },
        },
      });
      clouds[at]!.before = async (call, _request, signal) => {
        if (call !== 'begin') return;
        held.resolve(at);
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
      };
    }
    try {
      const sender = await sentPackage(t, { 'a.mov': threeFiles['a.mov'] }, { name: 'Handed over' });
      const { body } = await askTransfer(t, sender, { cloud_connection_id: await putConnection(t) });
      const holder = await held.promise;
      const next = 1 - holder;
      clouds[next]!.before = async () => undefined;
      const before = rung[next]!;
      const closing = t.services[holder]!.close();
      await expect.poll(() => rung[next]!, { timeout: 20_000 }).toBeGreaterThan(before);
      await closing;
      const { db } = t.services[next]!.services;
      const state = () => db.selectFrom('cloud_transfers').select('state').where('id', '=', body.id).executeTakeFirst();
      await expect.poll(state, { timeout: 20_000 }).toEqual({ state: 'complete' });
      expect([...clouds[next]!.cloud.files.keys()]).toEqual(['Longshore/Handed over/a.mov']);
    } finally {
      await t.close();
    }
  });
});
