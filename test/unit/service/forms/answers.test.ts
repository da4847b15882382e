import { describe, expect, it } from 'vitest';
import type { FormField, FormValue } from '#protocol/hosted/forms.ts';
import { completeAnswers, packageFieldsOf, toResponse } from '#service/forms/answers.ts';

const field = (name: string, more: Partial<FormField> = {}): FormField => ({
  name,
  label: `The ${name}`,
  type: 'short_text',
  visibility: 'optional',
  position: 0,
  ...more,
});
type Value = FormValue['value'];
const complete = (fields: FormField[], sent: Record<string, Value>) =>
  completeAnswers(fields, Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, { value }])));

describe('completeAnswers', () => {
  it.each<[string, Partial<FormField>, Value | undefined, Value]>([
    ['what is sent', {}, 'A', 'A'],
    ['nothing, where nothing is sent', {}, undefined, ''],
    ['the default, where nothing is sent', { default_value: 'B' }, undefined, 'B'],
    ['what is sent before the default, even nothing', { default_value: 'B' }, '', ''],
    ['always the default of a readonly field', { visibility: 'readonly', default_value: 'B' }, 'A', 'B'],
    ['what is sent for a hidden field', { visibility: 'hidden', default_value: 'B' }, 'A', 'A'],
    ['the default of a hidden field', { visibility: 'hidden', default_value: 'B' }, undefined, 'B'],
    ['the default of a required field', { visibility: 'required', default_value: 'B' }, undefined, 'B'],
    ['a number of a required field, 0 too', { visibility: 'required', type: 'number' }, 0, 0],
    ['no value of a type that is none of its options: only that there is one is checked', { type: 'radio', options: ['A'] }, 'Z', 'Z'],
    ['a list', { type: 'checkbox', options: ['A', 'B'], visibility: 'required' }, ['A', 'B'], ['A', 'B']],
    ['a tick', { type: 'checkbox', visibility: 'required' }, true, true],
  ])('keeps %s', (_, more, sent, kept) => {
    expect(complete([field('x', more)], sent === undefined ? {} : { x: sent })).toEqual({ x: { value: kept } });
  });

  it.each<[string, Value | undefined]>([
    ['nothing', undefined],
    ['an empty text', ''],
    ['spaces', ' \n'],
    ['an empty list', []],
    ['a list of nothing', ['', ' ']],
    ['no tick', false],
  ])('refuses a required field with %s, naming it', (_, sent) => {
    const fields = [field('fine'), field('camera', { visibility: 'required' })];
    expect(() => complete(fields, sent === undefined ? {} : { camera: sent })).toThrow(
      expect.objectContaining({ error: 'form_response_incomplete', details: { field: 'camera' } }),
    );
  });

  it('drops answers to fields that the form does not have, whatever their names', () => {
    const sent = JSON.parse('{"other":{"value":"x"},"id":{"value":"x"},"toString":{"value":"x"}}');
    expect(completeAnswers([field('x'), field('constructor')], sent)).toEqual({ x: { value: '' }, constructor: { value: '' } });
  });
});

describe('toResponse', () => {
  it("has every field, in the form's order, whatever order the answers were kept in", () => {
    const form = { name: 'f', delivery_formats: [], fields: [field('zz'), field('a'), field('hasOwnProperty')] };
    const response = toResponse('1', form, { a: { value: 1 }, zz: { value: 2 } });
    expect(Object.entries(response)).toEqual([
      ['id', '1'],
      ['zz', { value: 2 }],
      ['a', { value: 1 }],
      ['hasOwnProperty', { value: '' }],
    ]);
  });
});

describe('packageFieldsOf', () => {
  const form = (...fields: FormField[]) => ({ name: 'f', delivery_formats: [], fields });
  const all = form(field('n', { type: 'package_name' }), field('d', { type: 'package_description' }), field('s', { type: 'sender_email' }));

  it('takes the answers, without spaces around them', () => {
    const answers = { n: { value: ' Day 12 ' }, d: { value: 'A\nB' }, s: { value: ' mia@example.com' } };
    expect(packageFieldsOf(all, answers)).toEqual({ name: 'Day 12', description: 'A\nB', sender: 'mia@example.com' });
    expect(packageFieldsOf(all, { n: { value: ' ' } })).toEqual({});
    expect(packageFieldsOf(form(field('n')), { n: { value: 'x' } })).toEqual({});
  });

  it.each([
    ['s', 'mia'],
    ['s', 'mia@example.com, tom@example.com'],
    ['s', 'mia@example.com\r\nBcc: tom@example.com'],
    ['s', 'mia\u0007@example.com'],
    ['s', `${'m'.repeat(250)}@example.com`],
    ['n', 'x'.repeat(256)],
    ['d', 'x'.repeat(10_001)],
  ])('refuses for %s %j, naming the field', (name, value) => {
    expect(() => packageFieldsOf(all, { [name]: { value } })).toThrow(`The ${name}`);
  });
});
