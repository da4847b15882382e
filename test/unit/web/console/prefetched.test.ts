import { expect, it } from 'vitest';
import type { ApiReply } from '#client/ports.ts';
import { withPrefetched } from '#web/console/app/prefetched.ts';

const url = 'https://files.example.com/v1/users/me';
const reply = (text: string): ApiReply => ({ status: 200, headers: {}, text });
const asking = (replies: Map<string, Promise<ApiReply>> | undefined) => {
  const send = withPrefetched(async ({ method }) => reply(`sent ${method}`), replies);
  return async (method = 'GET') => (await send({ method, url, headers: {} })).text;
};

it('uses an early answer once, and for reading alone', async () => {
  const ask = asking(new Map([[url, Promise.resolve(reply('early'))]]));
  expect([await ask('DELETE'), await ask(), await ask()]).toEqual(['sent DELETE', 'early', 'sent GET']);
});

it('asks itself where nothing came early, or it failed', async () => {
  const failed = Promise.reject<ApiReply>(new Error('offline'));
  expect([await asking(new Map([[url, failed]]))(), await asking(undefined)()]).toEqual(['sent GET', 'sent GET']);
});
