import { describe, expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { createAttemptLimiter, defaultAttemptLimit } from '#service/http/attempt-limiter.ts';
import type { KnownSources } from '#service/http/known-sources.ts';
import { isOpen, requireAccessCode } from '#service/portals/access-code.ts';

const portal = { id: 'p', has_access_code: true, access_code: '4711' };

function sourceList(): KnownSources {
  const known = new Set<string>();
  return {
    among: async (subject, sources) => new Set(sources.filter((source) => known.has(`${subject} ${source}`))),
    add: async (subject, source) => void known.add(`${subject} ${source}`),
    sweep: async () => known.clear(),
  };
}

function senders() {
  let now = 0;
  const attemptLimiter = createAttemptLimiter(defaultAttemptLimit, () => new Date(now));
  const knownSources = sourceList();
  return {
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    async ask(peer: string, code: string, of = portal, device: string | null = null): Promise<'in' | number> {
      try {
        await requireAccessCode({ attemptLimiter, knownSources, peer, device }, of, { kind: 'access_code', codes: [code] });
        return 'in';
      } catch (error) {
        return (error as ApiError).status;
      }
    },
  };
}

describe('admit', () => {
  it('compares few of 10,000 guesses from one address, and none once the limit is reached', async () => {
    const { ask } = senders();
    const answers = [];
    for (let n = 0; n < 10_000; n++) answers.push(await ask('198.51.100.7', String(n).padStart(4, '0')));
    expect(answers.filter((answer) => answer === 401)).toHaveLength(defaultAttemptLimit.max);
    // The right one was among them.
    expect(answers[4711]).toBe(429);
    expect(await ask('203.0.113.5', '4711')).toBe('in');
  });

  it('compares few of 10,000 guesses from as many addresses, while earlier visitors still get in', async () => {
    const { ask, pass } = senders();
    expect(await ask('192.0.2.1', '4711')).toBe('in');
    expect(await ask('192.0.2.1', '4711', portal, 'a laptop that was let in')).toBe('in');
    const answers = [];
    for (let n = 0; n < 10_000; n++) answers.push(await ask(`10.0.${n >> 8}.${n & 255}`, `wrong ${n}`));
    expect(answers.filter((answer) => answer === 401)).toHaveLength(20 * defaultAttemptLimit.max);
    expect(await ask('192.0.2.1', '4711')).toBe('in');
    expect(await ask('192.0.2.2', '4711')).toBe(429);
    expect(await ask('192.0.2.3', '4711', portal, 'a laptop that was let in')).toBe('in');
    // Another Portal is not concerned, and after a while this one takes new senders again.
    expect(await ask('192.0.2.2', '4711', { ...portal, id: 'other' })).toBe('in');
    pass(60_000);
    expect(await ask('192.0.2.2', '4711')).toBe('in');
  });

  it('forgets its visitors once the code is changed', async () => {
    const { ask } = senders();
    await ask('192.0.2.1', '4711');
    for (let n = 0; n < 300; n++) await ask(`10.0.0.${n}`, 'wrong');
    expect(await ask('192.0.2.1', '4711', { ...portal, access_code: 'new' })).toBe(429);
  });

  it('needs no code where the Portal has none, and says that one is missing where it has one', async () => {
    const { ask } = senders();
    const open = { ...portal, has_access_code: false, access_code: '' };
    for (let n = 0; n < 100; n++) expect(await ask('192.0.2.1', 'anything', open)).toBe('in');
    const attemptLimiter = createAttemptLimiter(defaultAttemptLimit, () => new Date());
    const parts = { attemptLimiter, knownSources: sourceList(), peer: '192.0.2.1', device: null };
    await expect(requireAccessCode(parts, open, { kind: 'none' })).resolves.toBeUndefined();
    await expect(requireAccessCode(parts, portal, { kind: 'none' })).rejects.toEqual(new ApiError('access_code_wrong'));
  });
});

describe('isOpen', () => {
  const at = new Date('2026-11-20T12:00:00Z');
  const later = new Date('2026-11-20T12:00:01Z');
  it.each([
    [false, false, null, false],
    [true, false, null, true],
    [true, false, at, true],
    [true, true, null, true],
    [true, true, later, true],
    [true, true, at, false],
    [false, true, later, false],
  ])('active %s, expiry enabled %s: %s', (active, expiry_enabled, expiry, open) => {
    expect(isOpen({ active, expiry_enabled, expiry }, at)).toBe(open);
  });
});
