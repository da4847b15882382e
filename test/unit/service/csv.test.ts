import { expect, it } from 'vitest';
import { csvText } from '#service/csv.ts';

it.each([
  ['a line break of each kind', 'Day\n12\r\nB\rC', '"Day\n12\r\nB\rC"'],
  ['quotes and commas', 'Day "12", B', '"Day ""12"", B"'],
  ['a formula', '=1+1', "'=1+1"],
  ['a formula on its second line', 'Day\n=1+1', '"Day\n=1+1"'],
])('keeps %s within its cell', (_, name, cell) => {
  expect(csvText([['id', name, 7], ['next']])).toBe(`id,${cell},7\r\nnext\r\n`);
});
