import { expect, it } from 'vitest';
import { createPermits } from '#service/http/permits.ts';

const refused = expect.objectContaining({ error: 'rate_limited' });

it('a permit counts for its holder, for each of its shares and for all, and is free again once', () => {
  const permits = createPermits({ perHolder: 2, total: 4 });
  const link = [{ name: 'link', most: 3 }];
  const first = permits.acquire('a', link);
  permits.acquire('a', link);
  expect(() => permits.acquire('a')).toThrow(refused);
  permits.acquire('b', link);
  // Another token of the same link, and nothing is taken by a refusal.
  expect(() => permits.acquire('c', link)).toThrow(refused);
  expect(() => permits.acquire('c', link)).toThrow(refused);
  const last = permits.acquire('c');
  expect(() => permits.acquire('d')).toThrow(refused);
  first();
  first();
  permits.acquire('c', link);
  expect(() => permits.acquire('d')).toThrow(refused);
  last();
  permits.acquire('d');
});
