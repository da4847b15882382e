import type { PermitShare } from '../http/permits.ts';
import type { AnyPackageToken } from '../packages/access.ts';

/** Event streams of one process: two thousand who send by Portals, and as many for everybody else. */
export const allStreams = 4_000;
/** Of one link or person, whatever the number of their tokens: each call that opens a link or reads a package gives another. */
const streamsOfOne = 100;
/** From one address without an account: a package through a Portal, or a further link, is anybody's to make. */
const streamsOfAddress = 250;
/** Of all without an account. The others are left to members, whatever strangers do. */
const streamsOfStrangers = allStreams / 2;

/** What a package's event stream counts for, besides its token. */
export function streamShares({ linkId, userId }: AnyPackageToken, peer: string): readonly PermitShare[] {
  if (userId !== null) return [{ name: `user ${userId}`, most: streamsOfOne }];
  return [
    ...(linkId === null ? [] : [{ name: `link ${linkId}`, most: streamsOfOne }]),
    { name: `address ${peer}`, most: streamsOfAddress },
    { name: 'strangers', most: streamsOfStrangers },
  ];
}
