import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type AnswerProblem,
  askedFields,
  defaultAnswer,
  fieldStating,
  firstAnswers,
  formValues,
  isRequired,
  problemOf,
  statedProperty,
  withOption,
} from '#protocol/form-rules.ts';
import type { FormField } from '#protocol/hosted/forms.ts';

const field = (change: Partial<FormField>): FormField => ({
  name: 'f',
  label: 'F',
  type: 'short_text',
  visibility: 'optional',
  position: 0,
  ...change,
});

it.each<[Partial<FormField>, Answer]>([
  [{}, ''],
  [{ default_value: '12A' }, '12A'],
  [{ type: 'checkbox' }, false],
  [{ type: 'checkbox', default_value: 'True' }, true],
  [{ type: 'checkbox', default_value: ' yes ' }, true],
  [{ type: 'checkbox', options: ['A', 'B'] }, []],
  // Its own option, although another one is a part of it.
  [{ type: 'checkbox', options: ['B', 'B, C'], default_value: 'B, C' }, ['B, C']],
  // In the form's order, not in the default's.
  [{ type: 'checkbox', options: ['A', 'B', 'C'], default_value: 'C, A, Z' }, ['A', 'C']],
])('the default of %j is %j', (change, answer) => {
  expect(defaultAnswer(field(change))).toEqual(answer);
});

describe('a choice of several', () => {
  const slates = field({ type: 'checkbox', options: ['Sound', 'Slate', 'Colour'] });
  it('has its options in the form’s order, whatever the order of ticking', () => {
    const first = withOption(slates, [], 'Colour', true);
    expect(withOption(slates, first, 'Sound', true)).toEqual(['Sound', 'Colour']);
    expect(withOption(slates, first, 'Colour', false)).toEqual([]);
  });
});

it.each<[Partial<FormField>, Answer, AnswerProblem | null]>([
  [{ visibility: 'required' }, '  ', 'required'],
  [{}, '  ', null],
  [{ visibility: 'readonly', type: 'sender_email' }, 'nobody', null],
  [{ visibility: 'hidden', type: 'sender_email' }, 'nobody', null],
  [{ visibility: 'required', type: 'checkbox' }, false, 'required'],
  [{ visibility: 'required', type: 'checkbox', options: ['A'] }, [], 'required'],
  [{ visibility: 'required', type: 'checkbox', options: ['A'] }, ['A'], null],
  [{ type: 'package_name' }, '', 'required'],
  [{ type: 'sender_email' }, '', 'required'],
  [{ type: 'package_name' }, 'x'.repeat(256), 'tooLong'],
  [{ type: 'package_description' }, 'x'.repeat(10_000), null],
  [{}, 'x'.repeat(10_001), 'tooLong'],
  [{ type: 'email' }, 'mia@harbour', 'email'],
  [{ type: 'email' }, ' mia@harbour.example ', null],
  [{ type: 'url' }, 'harbour.example', 'url'],
  [{ type: 'url' }, 'javascript:alert(1)', 'url'],
  [{ type: 'url' }, 'https://harbour.example/a', null],
  [{ type: 'number' }, '12,5', 'number'],
  [{ type: 'number' }, '-12.5', null],
  [{ type: 'date' }, '12.11.2026', 'date'],
  [{ type: 'date' }, '2026-13-01', 'date'],
  [{ type: 'date' }, '2026-11-20', null],
])('%j with %j: %s', (change, answer, problem) => {
  expect(problemOf(field(change), answer)).toBe(problem);
});

it('a form begins with what is known, except where an answer is fixed', () => {
  const fields = [
    field({ name: 'mail', type: 'sender_email' }),
    field({ name: 'about', type: 'package_description', default_value: 'Dailies' }),
    field({ name: 'title', type: 'package_name', visibility: 'readonly', default_value: 'Harbour' }),
    field({ name: 'yes', type: 'checkbox', default_value: 'true' }),
  ];
  const answers = firstAnswers(fields, { sender_email: 'mia@example.com', package_name: 'A001' });
  expect(answers).toEqual({ mail: 'mia@example.com', about: 'Dailies', title: 'Harbour', yes: true });
  expect(formValues(fields, { ...answers, about: ' Day 12 ' })).toEqual({
    mail: { value: 'mia@example.com' },
    about: { value: 'Day 12' },
    yes: { value: true },
  });
});

it('what is hidden is not asked, and the rest is in its order', () => {
  const fields = [field({ name: 'b', position: 2 }), field({ name: 'h', visibility: 'hidden' }), field({ name: 'a', position: 1 })];
  expect(askedFields(fields).map(({ name }) => name)).toEqual(['a', 'b']);
});

describe('a property of the package', () => {
  const name = field({ name: 'title', type: 'package_name' });
  const fixed = field({ name: 'from', type: 'sender_email', visibility: 'readonly', default_value: 'set@example.com' });
  const about = field({ name: 'about', type: 'package_description' });
  it('is as the form’s answer or its default states it', () => {
    const fields = [name, fixed];
    expect(isRequired(name)).toBe(true);
    expect(statedProperty(fields, { title: ' Day 12 ' }, 'package_name')).toBe('Day 12');
    expect(statedProperty(fields, {}, 'sender_email')).toBe('set@example.com');
  });
  it('is empty, not what the page knew before, where its answer was cleared', () => {
    expect(statedProperty([about], { about: ' ' }, 'package_description')).toBe('');
  });
  it('is the page’s to ask where no field of the form can state it', () => {
    const empty = field({ ...about, visibility: 'readonly' });
    for (const fields of [[], [empty], [field({ ...about, visibility: 'hidden' })]]) {
      expect(fieldStating(fields, 'package_description')).toBeNull();
      expect(statedProperty(fields, {}, 'package_description')).toBeNull();
    }
  });
});
