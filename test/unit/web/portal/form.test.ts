import { describe, expect, it } from 'vitest';
import { formField } from '#test/support/service/portals.ts';
import { answersOf, fedBy, feederOf, initialValue, isNeeded, type Problem, problemOf, type Value } from '#web/portal/form/fields.ts';

describe('a field of a form', () => {
  it.each<[Parameters<typeof formField>[1], Value]>([
    [{ type: 'short_text' }, ''],
    [{ type: 'short_text', default_value: '12A' }, '12A'],
    [{ type: 'checkbox' }, false],
    [{ type: 'checkbox', default_value: 'True' }, true],
    [{ type: 'checkbox', options: ['A', 'B'] }, []],
    [{ type: 'checkbox', options: ['A', 'B, C'], default_value: 'B, C' }, ['B, C']],
    [{ type: 'checkbox', options: ['A', 'B'], default_value: 'B, A, Z' }, ['B', 'A']],
  ])('begins with its default: %j', (field, value) => {
    expect(initialValue(formField('f', field))).toEqual(value);
  });

  it.each<[Parameters<typeof formField>[1], Value, Problem | null]>([
    [{ visibility: 'required' }, '  ', 'needed'],
    [{ visibility: 'optional' }, '  ', null],
    [{ visibility: 'readonly', type: 'sender_email' }, 'nobody', null],
    [{ visibility: 'required', type: 'checkbox' }, false, 'needed'],
    [{ visibility: 'required', type: 'checkbox', options: ['A'] }, [], 'needed'],
    [{ visibility: 'required', type: 'checkbox', options: ['A'] }, ['A'], null],
    [{ type: 'package_name' }, '', 'needed'],
    [{ type: 'package_name' }, 'x'.repeat(256), 'tooLong'],
    [{ type: 'package_description' }, 'x'.repeat(10_000), null],
    [{ type: 'email' }, 'mia@harbour', 'email'],
    [{ type: 'email' }, 'mia@harbour.example', null],
    [{ type: 'url' }, 'harbour.example', 'url'],
    [{ type: 'url' }, 'javascript:alert(1)', 'url'],
    [{ type: 'url' }, 'https://harbour.example/a', null],
    [{ type: 'number' }, '12,5', 'number'],
    [{ type: 'number' }, '-12.5', null],
    [{ type: 'date' }, '2026-13-01', 'date'],
    [{ type: 'date' }, '2026-11-20', null],
  ])('%j with %j: %s', (field, value, problem) => {
    expect(problemOf(formField('f', field), value)).toBe(problem);
  });

  it('feeds the package where somebody, or its default, fills it in', () => {
    const name = formField('title', { type: 'package_name', visibility: 'optional' });
    const fixed = formField('from', { type: 'sender_email', visibility: 'readonly', default_value: 'set@example.com' });
    const hollow = formField('about', { type: 'package_description', visibility: 'readonly' });
    const fields = [name, fixed, hollow];
    expect(isNeeded(name)).toBe(true);
    expect(feederOf(fields, 'package_description')).toBeNull();
    expect(fedBy(fields, { title: ' Day 12 ' }, 'package_name')).toBe('Day 12');
    expect(fedBy(fields, {}, 'sender_email')).toBe('set@example.com');
    expect(fedBy(fields, {}, 'package_description')).toBeNull();
    expect(answersOf(fields, { title: ' Day 12 ', from: 'other' })).toEqual({ title: { value: 'Day 12' } });
  });
});
