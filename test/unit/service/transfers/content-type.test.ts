import { expect, test } from 'vitest';
import { contentTypeOf } from '#service/transfers/delivery/content-type.ts';

test.each([
  ['A001.mov', 'video/quicktime'],
  ['A001.MXF', 'application/mxf'],
  ['A001.mp4', 'video/mp4'],
  ['sound.wav', 'audio/wav'],
  ['still.jpg', 'image/jpeg'],
  ['archive.tar.gz', 'application/gzip'],
  ['report.pdf', 'application/pdf'],
  ['notes.txt', 'text/plain'],
  ['list.csv', 'text/csv'],
  ['metadata.json', 'application/json'],
])('%s is %s', (name, type) => {
  expect(contentTypeOf(name)).toBe(type);
});

test.each(['mov', 'README', '.mov', 'clip.r3d-unheard-of', ''])('the name %j says nothing', (name) => {
  expect(contentTypeOf(name)).toBe('application/octet-stream');
});

test.each([
  'page.html',
  'page.HTM',
  'page.xhtml',
  'drawing.svg',
  'feed.xml',
  'feed.rss',
  'code.js',
  'code.mjs',
  'sheet.xsl',
  'mail.eml',
  'film.swf',
])('what a browser would run is not told: %s', (name) => {
  expect(contentTypeOf(name)).toBe('application/octet-stream');
});
