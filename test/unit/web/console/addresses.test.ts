import { expect, it } from 'vitest';
import { addressesIn } from '#web/console/ui/addresses.ts';

it.each([
  ['', [], []],
  [' \n,; ', [], []],
  ['mia@example.com', ['mia@example.com'], []],
  [
    'mia@example.com, jonas@example.com;zoe@example.com\nbo@example.com',
    ['mia@example.com', 'jonas@example.com', 'zoe@example.com', 'bo@example.com'],
    [],
  ],
  ['Mia Sandberg <mia@example.com>, "Weber, Jonas" <jonas@example.com>', ['mia@example.com', 'jonas@example.com'], ['"Weber']],
  ['Mia <mia@example.com>\nbo@example.com', ['mia@example.com', 'bo@example.com'], []],
  ['Mia@Example.com mia@example.com', ['Mia@Example.com'], []],
  ['mia, bo@example.com', ['bo@example.com'], ['mia']],
  ['<script>alert(1)</script>', [], ['<script>alert(1)</script>']],
])('finds the addresses in %j', (text, good, bad) => {
  expect(addressesIn(text)).toEqual({ good, bad });
});
