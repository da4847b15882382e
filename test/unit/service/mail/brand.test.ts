import { describe, expect, it } from 'vitest';
import { colorOf, logoSize } from '#service/mail/brand.ts';

describe('the branding of a message', () => {
  it.each([
    ['#1F6FEB', '#1f6feb'],
    ['', '#1d5fbf'],
    ['red;} body{', '#1d5fbf'],
    ['#12345', '#1d5fbf'],
  ])('of the colour %j has %s', (given, color) => {
    expect(colorOf(given)).toBe(color);
  });

  it.each([
    [
      { width: 64, height: 32 },
      { width: 64, height: 32 },
    ],
    [
      { width: 2_000, height: 200 },
      { width: 220, height: 22 },
    ],
    [
      { width: 500, height: 500 },
      { width: 48, height: 48 },
    ],
    [
      { width: 4_000, height: 1 },
      { width: 220, height: 1 },
    ],
  ])('fits a logo of %j into its box', (picture, size) => {
    expect(logoSize(picture)).toEqual(size);
  });
});
