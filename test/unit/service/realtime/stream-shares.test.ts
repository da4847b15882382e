import { expect, it } from 'vitest';
import { createPermits } from '#service/http/permits.ts';
import { allStreams, streamShares } from '#service/realtime/stream-shares.ts';

/** A token of its own for each stream, as whoever asks again and again has. */
function streams() {
  const permits = createPermits({ perHolder: 10, total: allStreams });
  let tokens = 0;
  const credential = { kind: 'package:read', packageId: 'p', verified: false, task: null, token: '' } as const;
  return (of: { readonly linkId: string | null; readonly userId: string | null }, peer: string): boolean => {
    tokens += 1;
    try {
      permits.acquire(`token ${tokens}`, streamShares({ ...credential, ...of, tokenId: String(tokens) }, peer));
      return true;
    } catch {
      return false;
    }
  };
}

it('strangers have a half of all streams, and one address of theirs an eighth of that: members go on', () => {
  const open = streams();
  const many = Array.from({ length: 1_000 }, (_, index) => index);
  const ofAddress = (peer: string) => many.filter((link) => open({ linkId: `${peer} ${link}`, userId: null }, peer)).length;
  expect(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map(ofAddress)).toEqual([...Array<number>(8).fill(250), 0]);
  // Senders through a Portal have neither an account nor a link.
  expect(open({ linkId: null, userId: null }, 'j')).toBe(false);
  expect(many.filter(() => open({ linkId: null, userId: 'member' }, 'a')).length).toBe(100);
  expect(open({ linkId: null, userId: 'another member' }, 'a')).toBe(true);
});
