import { expect, it } from 'vitest';
import { isFromOwnPage } from '#service/sessions/own-page.ts';

const own = { 'x-longshore-page': '1' };

it.each([
  ['a page of the service', { ...own, 'sec-fetch-site': 'same-origin' }, true],
  ['an older browser that names the origin', { ...own, origin: 'https://share.example.com' }, true],
  ['an older browser that reads', own, true],
  ['a form of any page, which can send no header', { 'sec-fetch-site': 'same-origin' }, false],
  ['a Portal’s host of the same site', { ...own, 'sec-fetch-site': 'same-site' }, false],
  ['another site', { ...own, 'sec-fetch-site': 'cross-site' }, false],
  ['an address that somebody typed', { ...own, 'sec-fetch-site': 'none' }, false],
  ['another origin in an older browser', { ...own, origin: 'https://portal.example.com' }, false],
  ['an unknown value of the header', { 'x-longshore-page': 'true' }, false],
])('%s', (_, headers, expected) => {
  expect(isFromOwnPage(headers, 'https://share.example.com')).toBe(expected);
});
