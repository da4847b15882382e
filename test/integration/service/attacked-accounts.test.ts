import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetPassword } from '#service/admin/users.ts';
import { newId } from '#service/ids.ts';
import { inAll } from '#test/support/level.ts';
import { lightHash } from '#test/support/service/light-hash.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser, passwordResetToken } from '#test/support/service/users.ts';

const password = 'the right password';
let at: TestService;
const start = Date.now();
let offset = 0;
beforeAll(async () => {
  // Every caller says where it is, as a proxy would.
  at = await startTestService({
    trustProxy: 'loopback',
    now: () => new Date(start + offset),
    limits: { signInsPerAddress: 1_000_000 },
  });
});
afterAll(() => at?.close());

async function owner(): Promise<string> {
  const { userId, email } = await addUser(at, 'owner');
  await at.service.services.db
    .updateTable('users')
    .set({ password_hash: await lightHash(password) })
    .where('id', '=', userId)
    .execute();
  return email;
}

const from = (address: string, device?: string) => ({
  'x-forwarded-for': address,
  ...(device !== undefined && { 'x-device-secret': device }),
});
const signIn = async (email: string, word: string, headers: Record<string, string>) =>
  (await at.call('POST', '/v1/auth', { headers, body: { email, password: word } })).status;

/** Wrong passwords from so many addresses in turn; how many of them were looked at. */
async function attack(email: string, addresses: number, guesses: number): Promise<number> {
  let looked = 0;
  for (let n = 0; n < guesses; n++) {
    const address = n % addresses;
    if ((await signIn(email, `guess ${n}`, from(`10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`))) === 401) looked += 1;
  }
  return looked;
}

describe('an account whose password is guessed', () => {
  it('from five addresses can be entered by its owner from anywhere', async () => {
    const email = await owner();
    expect(await attack(email, 5, 100)).toBe(50);
    expect(await signIn(email, password, from('192.0.2.1'))).toBe(200);
  });

  it(
    'from 5,000 addresses can be entered from a known address or device',
    inAll('five addresses; what counts at a known device by the test after next'),
    async () => {
      const email = await owner();
      const laptop = 'a secret of the laptop';
      expect(await signIn(email, password, from('192.0.2.1'))).toBe(200);
      expect(await signIn(email, password, from('192.0.2.2', laptop))).toBe(200);
      expect(await attack(email, 5_000, 150)).toBe(100);
      expect(await signIn(email, password, from('192.0.2.1'))).toBe(200);
      expect(await signIn(email, password, from('192.0.2.2'))).toBe(200);
      expect(await signIn(email, password, from('198.51.100.7', laptop))).toBe(200);
      // Elsewhere it is slowed, not closed: one more is looked at after five minutes.
      const elsewhere = await at.call('POST', '/v1/auth', { headers: from('203.0.113.1'), body: { email, password } });
      expect(elsewhere.status).toBe(429);
      expect(Number(elsewhere.headers.get('retry-after'))).toBeLessThanOrEqual(300);
      offset += 300_000;
      expect(await signIn(email, password, from('203.0.113.1'))).toBe(200);
      expect(await signIn(email, 'wrong', from('203.0.113.2'))).toBe(401);
      expect(await signIn(email, 'wrong', from('203.0.113.3'))).toBe(429);
    },
  );

  it('can be entered from an unknown address after a password reset by mail', async () => {
    const email = await owner();
    expect(await attack(email, 5_000, 110)).toBe(100);
    const token = await passwordResetToken(at, email);
    const reset = { headers: from('198.51.100.20'), body: { password: 'chosen by the reader of the mail' } };
    expect((await at.call('POST', `/v1/auth/password_reset/${token}`, reset)).status).toBe(204);
    expect(await signIn(email, 'chosen by the reader of the mail', from('198.51.100.20'))).toBe(200);
    expect(await signIn(email, 'chosen by the reader of the mail', from('198.51.100.21'))).toBe(200);
  });

  it('can be entered from where too many wrong ones were typed, once its operator has set a new one', async () => {
    const email = await owner();
    for (let n = 0; n < 10; n++) await signIn(email, `guess ${n}`, from('192.0.2.1'));
    // A stranger may ask for this mail, and gains nothing by it.
    await passwordResetToken(at, email);
    expect(await signIn(email, password, from('192.0.2.1'))).toBe(429);
    await resetPassword(at.service.services.db, email, 'set by the operator', new Date(start + offset));
    expect(await signIn(email, 'set by the operator', from('192.0.2.1'))).toBe(200);
    // Guesses at the new one are counted as those before.
    const answers = [];
    for (let n = 0; n < 11; n++) answers.push(await signIn(email, `guess ${n}`, from('192.0.2.1')));
    expect(answers).toEqual([...Array(10).fill(401), 429]);
  });

  it('from the owner’s own address can be entered from the owner’s device', async () => {
    const email = await owner();
    const laptop = 'a secret of the laptop';
    expect(await signIn(email, password, from('192.0.2.1', laptop))).toBe(200);
    for (let n = 0; n < 10; n++) expect(await signIn(email, `guess ${n}`, from('192.0.2.1'))).toBe(401);
    expect(await signIn(email, password, from('192.0.2.1'))).toBe(429);
    expect(await signIn(email, password, from('192.0.2.1', 'another that is made up'))).toBe(429);
    expect(await signIn(email, password, from('192.0.2.1', laptop))).toBe(200);
  });

  it('counts a /64 network as one address', async () => {
    const email = await owner();
    const answers = [];
    for (let n = 0; n < 12; n++) answers.push(await signIn(email, `guess ${n}`, from(`2001:db8:0:1::${n.toString(16)}`)));
    expect(answers).toEqual([...Array(10).fill(401), 429, 429]);
    expect(await signIn(email, password, from('2001:db8:0:2::1'))).toBe(200);
  });

  it('gives the same answers as an address without an account', async () => {
    const real = await owner();
    const outcomes = [];
    for (const email of [real, 'nobody-there@example.com']) {
      const seen = [];
      for (let n = 0; n < 11; n++) {
        const { status, headers } = await at.call('POST', '/v1/auth', { headers: from('10.9.9.9'), body: { email, password: 'x' } });
        seen.push([status, Math.round(Number(headers.get('retry-after') ?? 0) / 60)]);
      }
      outcomes.push(seen);
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]!.at(-1)).toEqual([429, 30]);
  });

  it('limits guesses by signed-in users, and strangers do not keep the owner from changing the password', async () => {
    const { userId, email, token } = await addUser(at, 'member');
    await at.service.services.db
      .updateTable('users')
      .set({ password_hash: await lightHash(password) })
      .where('id', '=', userId)
      .execute();
    expect(await attack(email, 5_000, 110)).toBe(100);
    const change = async (current: string, address: string) =>
      (
        await at.call('POST', `/v1/users/${userId}/password`, {
          headers: { ...from(address), 'x-user-token': token },
          body: { current_password: current, password: 'another password' },
        })
      ).status;
    let looked = 0;
    for (let n = 0; n < 110; n++) if ((await change(`guess ${n}`, `10.1.0.${n}`)) === 401) looked += 1;
    expect(looked).toBe(100);
    offset += 300_000;
    expect(await change(password, '192.0.2.77')).toBe(204);
  });
});

it('a known device is not limited by the sign-ins of others at its address', async () => {
  const strict = await startTestService({ trustProxy: 'loopback', limits: { signInsPerAddress: 3 } });
  try {
    const { userId, email } = await addUser(strict, 'owner');
    await strict.service.services.db
      .updateTable('users')
      .set({ password_hash: await lightHash(password) })
      .where('id', '=', userId)
      .execute();
    const call = async (name: string, headers: Record<string, string>) =>
      (await strict.call('POST', '/v1/auth', { headers, body: { email: name, password } })).status;
    expect(await call(email, from('192.0.2.1', 'a secret of the laptop'))).toBe(200);
    const others = [];
    for (let n = 0; n < 4; n++) others.push(await call(`somebody-${newId()}@example.com`, from('192.0.2.1', `made up by them ${n}`)));
    expect(others).toEqual([401, 401, 429, 429]);
    expect(await call(email, from('192.0.2.1', 'a secret of the laptop'))).toBe(200);
  } finally {
    await strict.close();
  }
});

it('wrong answers of some recipients of a link do not lock out the others', async () => {
  const sender = await newSender(at, { recipients: ['a@example.com'], password: 'harbour master' });
  await sender.send('', 'a.txt', Buffer.from('hello'));
  await sender.finalize();
  const [link] = await sender.links();
  const open = async (word: string, address: string) => (await openLink(at, link!, word, from(address))).status;
  expect(await open('harbour master', '192.0.2.1')).toBe(200);
  for (let n = 0; n < 10; n++) expect(await open(`guess ${n}`, '10.0.0.1')).toBe(401);
  expect(await open('harbour master', '10.0.0.1')).toBe(429);
  expect(await open('harbour master', '192.0.2.2')).toBe(200);
  let looked = 0;
  for (let n = 0; n < 120; n++) if ((await open(`guess ${n}`, `10.2.0.${n}`)) === 401) looked += 1;
  expect(looked).toBe(90);
  expect(await open('harbour master', '192.0.2.1')).toBe(200);
  expect(await open('harbour master', '192.0.2.2')).toBe(200);
  expect(await open('harbour master', '192.0.2.3')).toBe(429);
});
