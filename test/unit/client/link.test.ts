import { describe, expect, test } from 'vitest';
import { parseDownloadLink } from '#client/link.ts';

describe('a download link', () => {
  test.each([
    ['https://go.example.com/d/L1?secret=s3', 'https://go.example.com', 'L1', 's3'],
    ['http://127.0.0.1:8080/d/L1?secret=s3', 'http://127.0.0.1:8080', 'L1', 's3'],
    ['https://example.com/files/share/d/L1?secret=s3', 'https://example.com/files/share', 'L1', 's3'],
    ['https://example.com/d/d/L1?secret=s3', 'https://example.com/d', 'L1', 's3'],
    ['https://example.com/d/L1/?secret=s3', 'https://example.com', 'L1', 's3'],
    ['  https://example.com/d/L1?utm=x&secret=a%2Fb%3D#top\n', 'https://example.com', 'L1', 'a/b='],
    ['https://example.com/d/a%20b?secret=s', 'https://example.com', 'a b', 's'],
  ])('%s', (text, baseUrl, linkId, secret) => {
    expect(parseDownloadLink(text)).toEqual({ baseUrl, linkId, secret });
  });

  test.each([
    ['', 'empty'],
    ['not a link', 'not a web address'],
    ['ftp://example.com/d/L1?secret=s', 'ftp:'],
    ['javascript:alert(1)', 'javascript:'],
    ['https://me:pw@example.com/d/L1?secret=s', 'user name'],
    ['https://example.com/L1?secret=s', '/d/'],
    ['https://example.com/d/?secret=s', '/d/'],
    ['https://example.com/d/L1/more?secret=s', '/d/'],
    ['https://example.com/d/L1', 'secret'],
    ['https://example.com/d/L1?secret=', 'secret'],
    ['https://example.com/d/%FF?secret=s', 'garbled'],
    [`https://example.com/d/L1?secret=${'s'.repeat(5_000)}`, 'longer'],
  ])('refuses %s', (text, word) => {
    expect(() => parseDownloadLink(text)).toThrow(
      expect.objectContaining({ error: 'link_malformed', message: expect.stringContaining(word) }),
    );
  });

  test('never says the secret', () => {
    expect(() => parseDownloadLink('https://example.com/L1?secret=hush')).toThrow(expect.not.stringContaining('hush'));
  });
});
