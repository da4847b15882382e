import { describe, expect, test } from 'vitest';
import { partFile } from '#storage/local/layout.ts';
import { accelPath } from '#storage/local/nginx-accel.ts';
import { stretches } from '#storage/local/ranges.ts';

const part = (number: number, size: number) => partFile(number, size, String(number).repeat(64));
const several = [part(1, 100), part(2, 100), part(3, 30)];
const one = [part(1, 230)];
const nginx = { 'x-longshore-accel': 'nginx' };
const asked = (parts: typeof several, start: number, end: number, headers: Record<string, string> = {}, isRange = true) =>
  accelPath({ headers: { ...nginx, ...headers }, isRange, parts, stretches: stretches(parts, start, end) });

describe('what nginx sends', () => {
  test.each([
    ['all of one part', asked(one, 0, 229, {}, false), { path: '/-/accel/whole/', file: one[0]!.file }],
    ['a range that is all of it', asked(one, 0, 229), { path: '/-/accel/part/', file: one[0]!.file }],
    ['a range of one part', asked(one, 3, 7), { path: '/-/accel/range/', file: one[0]!.file }],
    ['a part of many', asked(several, 100, 199), { path: '/-/accel/part/', file: several[1]!.file }],
    ['the last part', asked(several, 200, 229), { path: '/-/accel/part/', file: several[2]!.file }],
    [
      'a part, where its etag was asked for',
      asked(several, 0, 99, { 'if-range': '"x"' }),
      { path: '/-/accel/part/', file: several[0]!.file },
    ],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected));
});

describe('what the storage sends', () => {
  test.each([
    ['all of many parts', asked(several, 0, 229, {}, false)],
    ['bytes of two parts', asked(several, 99, 100)],
    ['bytes within a part of many', asked(several, 100, 198)],
    ['the first bytes of many parts', asked(several, 0, 50)],
    ['nothing', asked([part(1, 0)], 0, -1, {}, false)],
    ['a range of one part, where nginx would judge its etag', asked(one, 3, 7, { 'if-range': '"x"' })],
    ['what has a condition', asked(one, 0, 229, { 'if-none-match': '*' }, false)],
    ['what nginx has not offered to send', asked(one, 0, 229, { 'x-longshore-accel': '' }, false)],
  ])('%s', (_, found) => expect(found).toBeNull());
});
