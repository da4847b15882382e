import { expect, it } from 'vitest';
import { newId } from '#service/ids.ts';
import { sessionCookie } from '#service/sessions/session-cookie.ts';

const sessionId = newId();
const value = { sessionId, secret: 'a-secret_1' };

it.each([
  ['https://share.example.com', '__Host-longshore', true],
  ['http://localhost:3000', '__Host-longshore', true],
  ['http://127.0.0.1:3000', '__Host-longshore', true],
  ['http://[::1]:3000', '__Host-longshore', true],
  // A browser would drop a cookie with this prefix or attribute here, and nobody could sign in.
  ['http://nas.lan:3000', 'longshore', false],
])('a service at %s has a cookie %s that it can read', (publicUrl, name, secure) => {
  const cookie = sessionCookie(publicUrl);
  const [pair, ...attributes] = cookie.set(value, 60).split('; ');
  expect(pair).toBe(`${name}=${sessionId}.a-secret_1`);
  expect(attributes).toEqual(['Max-Age=60', 'Path=/', 'HttpOnly', 'SameSite=Strict', ...(secure ? ['Secure'] : [])]);
  expect(cookie.read(`theme=dark; ${pair}; other=1`)).toEqual(value);
  expect(cookie.clear()).toMatch(`${name}=; Max-Age=0; Path=/`);
});

it.each([
  [undefined],
  [''],
  ['__Host-longshore='],
  ['__Host-longshore=no-id.secret'],
  [`__Host-longshore=${sessionId}`],
  [`__Host-longshore=${sessionId}.a.b`],
  [`longshore=${sessionId}.a`],
  [`x__Host-longshore=${sessionId}.a`],
  [`__Host-longshore=${sessionId}.a; ${'x'.repeat(20_000)}`],
])('what is none of ours is not read (%#)', (header) => {
  expect(sessionCookie('https://share.example.com').read(header)).toBeNull();
});
