import { describe, expect, test } from 'vitest';
import { parseUploadId } from '#client/upload-id.ts';

describe('an UploadId', () => {
  const answer = (inner: string): string =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</InitiateMultipartUploadResult>`;
  test.each([
    ['plain', answer('<Bucket>b</Bucket><Key>k</Key><UploadId>abc-1</UploadId>'), 'abc-1'],
    ['with entities', answer('<UploadId>a&amp;b&lt;&#65;&#x42;</UploadId>'), 'a&b<AB'],
    ['with a prefix', '<s:InitiateMultipartUploadResult xmlns:s="x"><s:UploadId>id</s:UploadId></s:InitiateMultipartUploadResult>', 'id'],
    ['with white space around', answer('<UploadId>\n  id\n</UploadId>'), 'id'],
    ['of base64', answer('<UploadId>VXBsb2FkIElE+/==</UploadId>'), 'VXBsb2FkIElE+/=='],
  ])('%s', (_, xml, id) => {
    expect(parseUploadId(xml)).toBe(id);
  });

  test.each([
    ['no XML', 'hello'],
    ['an error', '<Error><Code>AccessDenied</Code></Error>'],
    ['no id', answer('<Bucket>b</Bucket>')],
    ['an empty id', answer('<UploadId></UploadId>')],
    ['a blank id', answer('<UploadId> </UploadId>')],
    ['two ids', answer('<UploadId>a</UploadId><UploadId>b</UploadId>')],
    ['a document type', `<!DOCTYPE x [<!ENTITY y "z">]>${answer('<UploadId>&y;</UploadId>')}`],
    ['an id in CDATA', answer('<UploadId><![CDATA[id]]></UploadId>')],
    ['an id in another answer', '<Other><UploadId>id</UploadId></Other>'],
    ['too much', answer(`<Key>${'x'.repeat(70_000)}</Key><UploadId>id</UploadId>`)],
  ])('refuses %s', (_, xml) => {
    expect(() => parseUploadId(xml)).toThrow(expect.objectContaining({ code: 'wrong_answer' }));
  });
});
