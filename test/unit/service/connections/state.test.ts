import { expect, it } from 'vitest';
import { ProviderError, type ProviderErrorCode, providerErrorCodes } from '#providers/errors.ts';
import { connectionOk, connectionStateAfter, connectionStateAfterCheck } from '#service/connections/state.ts';

/** What everything that goes through a connection would fail by. */
const ofTheConnection: readonly ProviderErrorCode[] = [
  'expired',
  'wrong_region',
  'credentials_refused',
  'forbidden',
  'no_destination',
  'full',
  'clock_skew',
  'private_address',
  'certificate',
  'redirected',
  'misconfigured',
  'not_offered',
];

it.each(providerErrorCodes)('%s says what it says of the connection', (code) => {
  const after = connectionStateAfter(new ProviderError(code, 'What to do.'));
  expect(after).toEqual(ofTheConnection.includes(code) ? { state: 'error', state_message: 'What to do.' } : null);
});

it('a failure of our own says nothing of a connection', () => {
  for (const failure of [new Error('disk'), undefined, new DOMException('stop', 'AbortError')])
    expect(connectionStateAfter(failure)).toBe(null);
});

it('a validation tells the state also by what may pass, and by what lasts where there is both', () => {
  const [gone, refused] = [new ProviderError('unreachable', 'No answer.'), new ProviderError('forbidden', 'Not allowed.')];
  expect(connectionStateAfterCheck(true, [])).toBe(connectionOk);
  expect(connectionStateAfterCheck(false, [gone])).toEqual({ state: 'error', state_message: 'No answer.' });
  expect(connectionStateAfterCheck(false, [gone, refused])).toEqual({ state: 'error', state_message: 'Not allowed.' });
  expect(connectionStateAfterCheck(false, [new Error('disk')])).toBe(null);
});
