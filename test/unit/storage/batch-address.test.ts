import { expect, test } from 'vitest';
import { batchQuery, createBatchVerifier, isOfBatch } from '#storage/batch-address.ts';
import { newPackedUploadId, newUploadGroup, newUploadId } from '#storage/keys.ts';

const secret = Buffer.alloc(32, 7);
const now = 1_000_000;
const inASecond = new Date(now + 1_000);
const uploadGroup = newUploadGroup();
const query = (id = newPackedUploadId(uploadGroup)): string =>
  batchQuery(secret, 'package', { uploadGroup, maxSize: 5_000 }, inASecond).replace('{upload_id}', id);

test('permits every upload of its group, of its key, until its end', () => {
  const verify = createBatchVerifier(secret);
  const ids = [newPackedUploadId(uploadGroup), newPackedUploadId(uploadGroup)];
  for (const uploadId of ids) {
    expect(verify('package', query(uploadId), now)).toEqual({
      kind: 'valid',
      part: { uploadId, partNumber: 1, size: 5_000, exact: false, batched: true },
    });
  }
  expect(verify('package', query(), now + 1_001)).toEqual({ kind: 'expired' });
});

test('permits nothing else, also after one that was permitted', () => {
  const verify = createBatchVerifier(secret);
  const good = query();
  const bad: readonly (readonly [string, string])[] = [
    ['another', good],
    ['package', good.replace('maxSize=5000', 'maxSize=5001')],
    ['package', good.replace(/expires=\d+/, 'expires=9999999')],
    ['package', query(newPackedUploadId(newUploadGroup()))],
    ['package', query(newUploadId().replace(/^.{13}/, `${uploadGroup}4`))],
    ['package', query(`${newPackedUploadId(uploadGroup).slice(0, -1)}G`)],
    ['package', `${good}0`],
    ['package', good.slice(0, -1)],
    ['package', good.replace(/signature=./, (found) => `${found.slice(0, -1)}${found.endsWith('0') ? '1' : '0'}`)],
    ['package', 'group='],
  ];
  for (const [key, text] of bad) {
    expect(verify('package', good, now).kind).toBe('valid');
    expect([text, verify(key, text, now).kind]).toEqual([text, 'invalid']);
  }
  expect([isOfBatch(good), isOfBatch('uploadId=0')]).toEqual([true, false]);
});
