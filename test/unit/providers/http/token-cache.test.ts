import { expect, test } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import { createTokenCache } from '#providers/http/token-cache.ts';

const never = new AbortController().signal;
const over = () => new ProviderError('expired', 'It is over.');

function tokens() {
  let signIns = 0;
  const cache = createTokenCache(
    async () => ({ value: `token-${++signIns}`, life: 3_600_000 }),
    () => new Date(0),
  );
  return { cache, signIns: () => signIns };
}

test('a token that is refused is forgotten once, however late another hears that it was', async () => {
  const { cache, signIns } = tokens();
  const late = Promise.withResolvers<never>();
  const waiting = cache.use(() => late.promise, never);
  await expect(cache.use(() => Promise.reject(over()), never)).rejects.toThrow('It is over.');
  expect(await cache.use(async (token) => token, never)).toBe('token-2');
  late.reject(over());
  await expect(waiting).rejects.toThrow('It is over.');
  expect(await cache.get(never)).toBe('token-2');
  expect(signIns()).toBe(2);
});

test('what fails for another reason keeps its token', async () => {
  const { cache } = tokens();
  await expect(cache.use(() => Promise.reject(new ProviderError('busy', 'Later.')), never)).rejects.toThrow('Later.');
  await expect(cache.use(() => Promise.reject(new Error('Ours.')), never)).rejects.toThrow('Ours.');
  expect(await cache.get(never)).toBe('token-1');
});
