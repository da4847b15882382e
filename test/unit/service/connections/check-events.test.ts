import { expect, it } from 'vitest';
import type { ConnectionCheck, ConnectionCheckEvent } from '#protocol/hosted/connections.ts';
import { checkEventStream } from '#service/connections/check-events.ts';

const began: ConnectionCheckEvent = { type: 'step_began', folder: '', step: 'put' };
const check: ConnectionCheck = { ok: true, steps: [{ step: 'put', ok: true, message: '' }], notes: [] };
const eventOf = (text: IteratorResult<string>) => JSON.parse(String(text.value).replace(/^data: /, '')) as ConnectionCheckEvent;

it('tells each event before the check has ended, and ends with what it says', async () => {
  const gate = Promise.withResolvers<ConnectionCheck>();
  const stream = checkEventStream((tell) => {
    tell(began);
    return gate.promise;
  })[Symbol.asyncIterator]();
  expect((await stream.next()).value).toBe(': begins\n\n');
  expect(eventOf(await stream.next())).toEqual(began);
  const last = stream.next();
  gate.resolve(check);
  expect(eventOf(await last)).toEqual({ type: 'ended', check });
  expect((await stream.next()).done).toBe(true);
});

it('says in between that it is still there', async () => {
  const stream = checkEventStream(() => new Promise(() => undefined), 1)[Symbol.asyncIterator]();
  await stream.next();
  expect((await stream.next()).value).toBe(': still here\n\n');
  expect((await stream.next()).value).toBe(': still here\n\n');
});

it('breaks off where the check rejects, also when nobody reads', async () => {
  const run = () => Promise.reject(new Error('gone'));
  checkEventStream(run);
  await expect(Array.fromAsync(checkEventStream(run))).rejects.toThrow('gone');
});
