import { expect, it } from 'vitest';
import { downloadedText } from '#ui/downloaded-text.ts';

const texts = {
  whole: 'all of it',
  moreThan: (files: string) => `more than ${files}`,
  some: (files: string, names: string) => `${files}: ${names} …`,
};
const none = { whole: false, files: 0, more: false, names: [] };

it.each([
  [{ ...none, whole: true, files: 2, names: ['a', 'b'] }, 'all of it'],
  [{ ...none, files: 1, names: ['day 1/a.mov'] }, 'day 1/a.mov'],
  [{ ...none, files: 2, names: ['a', 'b'] }, 'a, b'],
  [{ ...none, files: 12, names: ['a', 'b', 'c'] }, '12 files: a, b, c …'],
  [{ ...none, files: 20, more: true, names: ['a', 'b', 'c'] }, 'more than 20 files'],
  [{ ...none, files: 3 }, '3 files'],
])('%j', (what, text) => {
  expect(downloadedText(what, texts, (files) => `${files} files`)).toBe(text);
});
