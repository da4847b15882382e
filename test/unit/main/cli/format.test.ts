import { describe, expect, it } from 'vitest';
import { dueLine } from '#main/cli/commands/ls.ts';
import { bytesText, countText, durationText, printable, speedText } from '#main/cli/format.ts';

describe('amounts in words', () => {
  it.each<[number, string]>([
    [0, '0 B'],
    [999, '999 B'],
    [999.7, '1.00 kB'],
    [1_000, '1.00 kB'],
    [1_234_567, '1.23 MB'],
    [12_345_678, '12.3 MB'],
    [123_456_789, '123 MB'],
    [999_999_999, '1.00 GB'],
    [5e15, '5.00 PB'],
    [5e18, '5000 PB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });

  it('gives a speed', () => expect(speedText(1_500_000)).toBe('1.50 MB/s'));

  it.each<[number, string]>([
    [0, '0 s'],
    [-3, '0 s'],
    [0.4, '0 s'],
    [59.6, '1 min'],
    [61, '1 min 1 s'],
    [3_600, '1 h'],
    [3_661, '1 h 1 min'],
    [3_601, '1 h'],
    [100_000, '1 d 3 h'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it.each<[number, string]>([
    [0, '0 files'],
    [1, '1 file'],
    [12_345, '12,345 files'],
  ])('%d are %s', (count, text) => {
    expect(countText(count, 'file')).toBe(text);
  });
});

describe("other people's names on a terminal", () => {
  it.each<[string, string]>([
    ['Dailies, Tag 12 – Größe', 'Dailies, Tag 12 – Größe'],
    ['a\u001b[2J\u001b]0;owned\u0007b', 'ab'],
    ['a\nLink: http://evil', 'a\ufffdLink: http://evil'],
    ['a\rb\u0000c\u009bd', 'a\ufffdb\ufffdc\ufffdd'],
    ['photo\u202egnp.exe', 'photo\ufffdgnp.exe'],
  ])('%j is shown as %j', (name, shown) => {
    expect(printable(name)).toBe(shown);
  });
});

it('the deadline of a transfer is one line of `ls`', () => {
  const deadline = { due_at: '2027-01-31T18:00:00Z', state: 'on_time', slack_seconds: 60, message: 'It will be in time.' } as const;
  expect(dueLine(deadline)).toBe('Due 2027-01-31 18:00 UTC: It will be in time.');
});
