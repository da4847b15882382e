import { expect, it } from 'vitest';
import { catalogues } from '#renderer/messages/catalogues.ts';
import { formatDated } from '#renderer/messages/format.ts';
import { withDismissed } from '#renderer/notices/open-warnings.ts';
import { recipientsText } from '#renderer/transfers/describe-transfer.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';

it('says the day of a moment, in words where it is near', () => {
  const now = new Date(2026, 10, 20, 14, 0);
  const at = (day: number, hour: number) => formatDated(new Date(2026, 10, day, hour, 5).toISOString(), now, 'en-GB');
  expect([at(20, 9), at(19, 23), at(18, 9)]).toEqual(['today, 09:05', 'yesterday, 23:05', '18 Nov, 09:05']);
  expect(formatDated(new Date(2026, 10, 20, 9, 5).toISOString(), now, 'de')).toBe('heute, 09:05');
});

it('names the first recipients of an upload, and counts the others', () => {
  const said = (recipients: string[] | undefined, language: 'en' | 'de' = 'en') =>
    recipientsText({ messages: catalogues[language], number: String }, sampleTransfer(recipients ? { recipients } : {}));
  expect([said(undefined), said([]), said(['a@x.example']), said(['a@x.example', 'b@x.example'])]).toEqual([
    '',
    '',
    'a@x.example',
    'a@x.example, b@x.example',
  ]);
  expect(said(['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example'], 'de')).toBe('a@x.example, b@x.example und 2 weitere');
});

it('keeps as many notices that were put away as the agent does', () => {
  expect(withDismissed(['one'], 'two')).toEqual(['one', 'two']);
  const many = Array.from({ length: 100 }, (_, index) => `warning ${index}`);
  expect(withDismissed(many, 'new')).toHaveLength(100);
  expect(withDismissed(many, 'new').at(-1)).toBe('new');
});
