import { describe, expect, test } from 'vitest';
import { blueprintIn, createBatchBlueprints, uploadIdsIn } from '#client/batch-records.ts';
import { ServiceError } from '#client/errors.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { BatchBlueprint } from '#protocol/schema.ts';

const batch = (name: string): BatchBlueprint => ({
  url: `https://storage/objects/${name}?group=0&uploadId={upload_id}`,
  method: 'PUT',
  headers: {},
  body: '',
  upload_prefix: '0123456789ab8',
  max_size: 10,
});

/** Answers calls with these, one after the other. */
function apiThat(answers: (readonly string[] | Error)[]) {
  const asked: unknown[] = [];
  const call = async (_name: string, { body }: { body: unknown }) => {
    asked.push(body);
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('asked too often');
    return { batches: answer.map(batch) };
  };
  return { asked, api: { call } as unknown as HostedClient<'createBatchBlueprints'> };
}

const poolOf = (api: HostedClient<'createBatchBlueprints'>, now = () => 0) =>
  createBatchBlueprints({ api, packageId: 'p', signal: new AbortController().signal }, now);

const nameOf = (one: BatchBlueprint | null) => one && /objects\/(\w+)/.exec(one.url)![1];

describe('blueprints of batches', () => {
  test('are asked for several at once, and nobody gets one of another', async () => {
    const { api, asked } = apiThat([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    const pool = poolOf(api);
    const taken = (await Promise.all([pool.take(), pool.take(), pool.take()])).map(nameOf);
    expect(taken.toSorted()).toEqual(['a', 'b', 'd']);
    expect(asked).toHaveLength(2);
  });

  test('are asked for anew once they are old', async () => {
    const { api } = apiThat([['a', 'b'], ['c']]);
    let now = 0;
    const pool = poolOf(api, () => now);
    await pool.take();
    now = 2 * 3_600_000;
    expect(nameOf(await pool.take())).toBe('c');
  });

  test('are not asked for again where there are none', async () => {
    const { api, asked } = apiThat([[]]);
    const pool = poolOf(api);
    expect([await pool.take(), await pool.take()]).toEqual([null, null]);
    expect(asked).toHaveLength(1);
  });

  test('there are none at a node of an earlier version, and any other failure is told', async () => {
    const unknown = new ServiceError('no_such_endpoint', {}, { answered: 404, retryAfter: null });
    expect(await poolOf(apiThat([unknown]).api).take()).toBe(null);
    const busy = new ServiceError('unavailable', {}, { answered: 503, retryAfter: null });
    const pool = poolOf(apiThat([busy, ['a']]).api);
    await expect(pool.take()).rejects.toBe(busy);
    expect(nameOf(await pool.take())).toBe('a');
  });
});

test('each file of a batch has an upload id of its own, within what the blueprint allows', () => {
  const one = batch('a');
  const ids = uploadIdsIn(one, 300, 'f'.repeat(32));
  expect(new Set(ids).size).toBe(300);
  for (const id of ids) expect(id).toMatch(/^0123456789ab8[0-9a-f]{19}$/);
  expect(blueprintIn(one, ids[1]!)).toEqual({
    url: 'https://storage/objects/a?group=0&uploadId=0123456789ab8fffffffffffffff0001',
    method: 'PUT',
    headers: {},
    body: '',
  });
});
