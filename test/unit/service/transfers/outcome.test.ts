import { describe, expect, it } from 'vitest';
import { ProviderError, providerErrorCodes } from '#providers/errors.ts';
import { DeliveryError } from '#service/transfers/delivery/errors.ts';
import { maxFailures, outcomeOf } from '#service/transfers/outcome.ts';
import { StorageError } from '#storage/errors.ts';

describe('what a failed attempt leads to', () => {
  it('is another one for what passes by itself, and an error for what somebody has to act on', () => {
    const postponed = providerErrorCodes.filter((code) => outcomeOf(new ProviderError(code, 'It failed.'), 1).kind === 'postponed');
    expect(postponed).toEqual(['unreachable', 'busy', 'corrupted', 'bad_answer']);
  });

  it('is an error where files failed by themselves', () => {
    const error = new DeliveryError(2, [{ path: 'a.mov', message: 'Its name is too long.' }]);
    expect(outcomeOf(error, 1)).toEqual({ kind: 'failed', message: 'a.mov: Its name is too long. 1 more could not be delivered.' });
  });

  it.each([
    [new StorageError('storage_unavailable', 'No answer.'), 'postponed'],
    [new StorageError('storage_full', 'The disk is full.'), 'postponed'],
    [new StorageError('storage_refused', 'The bucket is gone.'), 'failed'],
  ] as const)('says of our own storage that it is ours: %s', (error, kind) => {
    expect(outcomeOf(error, 1)).toMatchObject({ kind, message: expect.stringContaining('The storage of the service failed: ') });
  });

  it('tells nobody what broke inside', () => {
    const { message } = outcomeOf(new Error('select * from secrets'), 1);
    expect(message).not.toContain('secrets');
  });

  it('waits longer each time, at least as long as the provider asks, and ends', () => {
    const pauses = Array.from({ length: maxFailures - 1 }, (_, index) => {
      const outcome = outcomeOf(new ProviderError('busy', 'Busy.'), index + 1);
      return outcome.kind === 'postponed' ? outcome.seconds : 0;
    });
    expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
    expect([pauses[0], pauses.at(-1)]).toEqual([10, 3_600]);
    expect(outcomeOf(new ProviderError('busy', 'Busy.'), maxFailures).kind).toBe('failed');
    expect(outcomeOf(new ProviderError('busy', 'Busy.', { retryAfter: 90_500 }), 1)).toMatchObject({ seconds: 91 });
    expect(outcomeOf(new ProviderError('busy', 'Busy.', { retryAfter: 1e12 }), 1)).toMatchObject({ seconds: 3_600 });
  });
});
