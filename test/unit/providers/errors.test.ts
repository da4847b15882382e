import { expect, it } from 'vitest';
import { ProviderError } from '#providers/errors.ts';

it('the sentence of a failure holds nothing of a name that commands a terminal, turns the text, or begins a line', () => {
  const { message } = new ProviderError('name_refused', 'The bucket takes no file of the name "a\u001b]0;x\u0007\u202eb\nc".');
  expect(message).toBe('The bucket takes no file of the name "a\ufffd]0;x\ufffd\ufffdb\ufffdc".');
});
