import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { type EventReader, readEvents } from '#test/support/system/event-reader.ts';

/** Whoever asks for one token after the other has no more event streams by that: those of all others go on. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

/** What a hundred and one streams are answered, ten with each token. */
async function statusesOf(packageId: string, newToken: () => Promise<string>): Promise<readonly number[]> {
  const readers: EventReader[] = [];
  try {
    for (let token = ''; readers.length < 101; ) {
      if (readers.length % 10 === 0) token = await newToken();
      readers.push(await readEvents(`${t.url}/v1/packages/${packageId}/events`, { 'x-package-token': token }));
    }
    return readers.map(({ status }) => status);
  } finally {
    for (const reader of readers) reader.close();
  }
}

const hundred = [...Array<number>(100).fill(200), 429];

it('a recipient who opens their link again and again has a hundred, by one link', async () => {
  const { sender, link } = await linkedPackage(t, { 'a.txt': 'hello' });
  const opened = async () => (await openLink(t, link)).body satisfies LinkInfo;
  expect(await statusesOf(sender.package.id, async () => (await opened()).package_token)).toEqual(hundred);
});

it('a member who reads their package again and again has a hundred, by all tokens', async () => {
  const { sender } = await linkedPackage(t, { 'a.txt': 'hello' });
  const path = `/v1/teams/${t.teamId}/packages/${sender.package.id}`;
  const read = async () => (await t.call<Package>('GET', path, { headers: { 'x-user-token': t.userToken } })).body;
  expect(await statusesOf(sender.package.id, async () => (await read()).access_token)).toEqual(hundred);
});
