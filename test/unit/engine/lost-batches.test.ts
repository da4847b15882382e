import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEventReplay } from '#engine/event-replay.ts';
import { openRateLimits } from '#engine/limits/rate-limits.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openVault } from '#engine/secrets/vault.ts';
import { openSession } from '#engine/session/session.ts';
import { openSettings } from '#engine/settings.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { tokenTable } from '#engine/tokens/table.ts';
import { openTokens } from '#engine/tokens/tokens.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { type FailingState, failingState } from '#test/support/faults/failing-state-file.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What was asked for, refused by a full disk and answered with its error is not so afterwards, nor after a start. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let clock: FakeClock;
let state: FailingState;
let db: ReturnType<FailingState['open']>['db'];
let store: Store;

beforeEach(async () => {
  folder = await tempFolder();
  clock = createFakeClock();
  state = failingState();
  const opened = state.open(join(folder.path, 'agent'), { now: 0 });
  db = opened.db;
  store = openStore(opened, sealerOf(randomBytes(32)), clock);
});
afterEach(async () => {
  state.failWhere(null);
  store.close();
  await folder.remove();
});

/** Asks, has the commit of it refused, and gives its end; the disk has room again afterwards. */
async function refused(asked: () => Promise<unknown>): Promise<void> {
  state.failWhere((sql) => sql.startsWith('COMMIT'));
  const end = asked();
  const told = end.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? error,
  );
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5);
  }
  expect(await told).toBe('SQLITE_FULL');
  state.failWhere(null);
}

describe('after a batch that a full disk refused', () => {
  it('settings are as they were', async () => {
    const settings = openSettings(store, { changed: () => {}, home: folder.path });
    await refused(() => settings.update({ history_days: 7 }));
    expect(settings.current().history_days).toBe(90);
  });

  it('speed limits are as they were, for what runs too', async () => {
    const limits = openRateLimits(store, clock);
    const before = limits.get('upload');
    const running = limits.add(
      'one',
      'upload',
      () => 0,
      () => 1,
    );
    await refused(() => limits.set('upload', { ...before, enabled: true, rate_limit_bps: 1_000 }));
    expect(limits.get('upload')).toEqual(before);
    expect(running.piece()).toBe(Number.POSITIVE_INFINITY);
  });

  it('a token that could not be made is none, and one that could not be ended is good', async () => {
    const tokens = openTokens({ table: tokenTable(db), writer: store.writer, clock });
    const making = tokens.create({ name: 'Kept', scopes: ['read'] });
    clock.advance(50);
    const { id, token } = await making;
    await refused(() => tokens.create({ name: 'Lost', scopes: ['read'] }));
    expect(tokens.list().map(({ name }) => name)).toEqual(['Kept']);
    const before = tokens.holder(token)!;
    await refused(() => tokens.revoke(id));
    // Those that were told of the end are gone; who shows the token again is let in.
    expect(before.ended.aborted).toBe(true);
    expect(tokens.holder(token)).toMatchObject({ id });
    expect(tokens.holder(token)!.ended.aborted).toBe(false);
    const revoking = tokens.revoke(id);
    clock.advance(50);
    await revoking;
    expect(tokens.holder(token)).toBeNull();
  });

  it('nobody is signed in by a session that is not kept', async () => {
    const account = { user: { email: 'a@b.c', name: 'A', id: 'u' }, teams: [] };
    const changes: number[] = [];
    const session = await openSession({
      serviceUrl: 'http://service.test',
      fetcher: async () => ({ status: 200, headers: {}, text: JSON.stringify(account) }),
      secrets: openVault(folder.path, 'a key of enough letters'),
      settings: store.settings,
      writer: store.writer,
      now: clock.now,
      changed: (all) => void changes.push(all.length),
    });
    await refused(() => session.add({ api_key: 'lsk_one' }));
    await expect.poll(() => session.all()).toEqual([]);
    expect(session.signedIn).toBe(false);
  });

  it('the numbers of events are kept ahead again, and telling them never fails', () => {
    const memory = openEventReplay(store.settings, store.writer, 1);
    store.writer.flush();
    const kept = (): number => JSON.parse(store.settings.get('events')!).ceiling;
    const ceiling = kept();
    state.failWhere(() => true);
    memory.giving(ceiling + 5);
    expect(kept()).toBe(ceiling);
    state.failWhere(null);
    memory.giving(ceiling + 6);
    store.writer.flush();
    expect(kept()).toBeGreaterThan(ceiling + 6);
  });
});
