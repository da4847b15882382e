import { describe, expect, it } from 'vitest';
import { hashApiKeySecret, newApiKeySecret } from '#service/accounts/api-key-secret.ts';
import { hashPassword, passwordMatches } from '#service/accounts/passwords.ts';

describe('passwords', () => {
  it('are hashed by argon2id with the chosen parameters', async () => {
    const stored = await hashPassword('häfen und schiffe');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwordMatches(stored, 'häfen und schiffe')).toBe(true);
    expect(await passwordMatches(stored, 'häfen und Schiffe')).toBe(false);
  });

  it('of an unknown account match nothing', async () => {
    expect(await passwordMatches(undefined, '')).toBe(false);
    expect(await passwordMatches(undefined, 'password')).toBe(false);
  });
});

describe('API key secrets', () => {
  it('have 256 bits behind a prefix, and a hash of 32 bytes', () => {
    const secret = newApiKeySecret();
    expect(secret).toMatch(/^ls_[A-Za-z0-9_-]{43}$/);
    expect(newApiKeySecret()).not.toBe(secret);
    expect(hashApiKeySecret(secret)).toHaveLength(32);
    expect(hashApiKeySecret(secret).equals(hashApiKeySecret(secret))).toBe(true);
  });
});
