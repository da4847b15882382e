import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { Package } from '#protocol/hosted/packages.ts';
import type { CheckState, CheckSummary } from '#service/integrity/check-state.ts';
import { inAll } from '#test/support/level.ts';
import { senderOf } from '#test/support/service/sender.ts';
import { addJob, passTime, signedIn, startOfPair, startPairDatabase } from '#test/support/service/service-pair.ts';
import { borrowRgw, hasRgw } from '#test/support/storage/rgw.ts';
import { readOfFile, startS3Gate } from '#test/support/storage/s3-gate.ts';
import { eventually } from '#test/support/system/processes.ts';

const count = 40;

it.skipIf(!hasRgw()).each([
  ['killed by kill -9', 'kill'],
  ['stopped in order, as by a rolling restart', 'stop'],
] as const)(
  'of two workers that check one bucket one is %s: the other goes on in the same night, and reads nothing again that was done',
  { ...inAll('integration/cli-check-s3, whose two workers are of one process'), timeout: 240_000 },
  async (_, end) => {
    const database = await startPairDatabase();
    const [first, second] = database.folders;
    const rgw = await borrowRgw();
    onTestFinished(rgw.close);
    const user = await rgw.newUser();
    const bucket = await rgw.newBucket(user);
    const credentials = `${user.accessKeyId}:${encodeURIComponent(user.secretAccessKey)}`;
    const behindGate = async () => {
      const gate = await startS3Gate(rgw.endpoint, readOfFile);
      onTestFinished(gate.close);
      return { gate, storageUrl: `s3://${credentials}@${new URL(gate.url).host}/${bucket.name}?tls=false&path_style=true` };
    };
    const [one, two] = [await behindGate(), await behindGate()];
    const options = { databaseUrl: database.url, scrubRate: 10 ** 9 };
    const victim = await startOfPair({ ...options, dataDir: first, storageUrl: one.storageUrl });

    const { call, teamId, headers } = await signedIn(victim.url);
    const { body: made } = await call<Package>('POST', `/v1/teams/${teamId}/packages`, {
      headers,
      body: { name: 'Dailies', description: '', recipients: [] },
    });
    const sender = senderOf({ call }, made, { 'x-package-token': made.access_token });
    const keys: string[] = [];
    for (let nth = 0; nth < count; nth += 1) keys.push((await sender.send('', `${nth}.bin`, randomBytes(2_000))).file.id);
    expect((await sender.finalize()).status).toBe(204);

    const check = async () => {
      const { rows } = await database.client.query<{ state: CheckState | null; last: CheckSummary | null }>(
        `select state, last from integrity_checks where kind = 'deep'`,
      );
      return rows[0] ?? { state: null, last: null };
    };
    /** As it is written down. */
    const done = async (): Promise<string[]> => {
      const { state } = await check();
      return state ? keys.filter((key) => key <= state.after && !(key in state.under_way)) : [];
    };
    one.gate.hold();
    await addJob(database, 'integrity.scrub');
    await eventually('some of it is written down as done', async () => {
      one.gate.allow(1);
      return (await done()).length >= 8;
    });
    const survivor = await startOfPair({ ...options, dataDir: second, storageUrl: two.storageUrl });
    expect(two.gate.passed()).toEqual([]);
    // Who goes on at once comes no further before it is seen what was done.
    two.gate.hold();
    await victim[end]();
    const before = await done();
    expect(before.length).toBeLessThan(count);
    // Minutes, and not the six hours that a job of this kind may take.
    if (end === 'kill') expect(await passTime(database, 'integrity.scrub', '5 minutes')).toBe(1);
    two.gate.allow(count);
    await eventually('the check ends', async () => (await check()).last !== null);

    expect((await check()).last).toMatchObject({ objects: count, counts: {} });
    expect(one.gate.passed().length).toBe(new Set(one.gate.passed()).size);
    expect(before.filter((key) => !one.gate.passed().includes(key))).toEqual([]);
    // All that is left, each once: what the killed one had in hand, and what it had not come to.
    expect(two.gate.passed().toSorted()).toEqual(keys.filter((key) => !before.includes(key)).toSorted());
    await survivor.stop();
  },
);
