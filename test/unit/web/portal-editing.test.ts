import { describe, expect, it } from 'vitest';
import { faultAtField } from '#web/console/portals/field-faults.ts';
import { changed, draftFields, fieldsOf, freeName, moved, newField } from '#web/console/portals/form/form-draft.ts';
import { addressesIn } from '#web/console/portals/request-dialog.tsx';

describe('a refusal that names a field', () => {
  it.each([
    ['name_pattern: it has a brace without its counterpart.', 'name_pattern', 'It has a brace without its counterpart.'],
    ['fields[2].options: an option is named twice.', 'fields', 'An option is named twice.'],
    ['The request is invalid. fields[2].options: an option is empty.', 'fields', 'An option is empty.'],
    ['The field primary_color must match ^(#[0-9a-fA-F]{6})?$.', 'primary_color', 'Must match ^(#[0-9a-fA-F]{6})?$.'],
    ['The field recipients[1] must be an e-mail address.', 'recipients', 'Must be an e-mail address.'],
    ['There is no such image of this Team (in logo_url).', 'logo_url', 'There is no such image of this Team (in logo_url).'],
  ])('is told there: %s', (message, field, text) => {
    expect(faultAtField({ message })).toMatchObject({ field, text });
  });

  it('is told elsewhere where it names none', () => {
    expect(faultAtField({ message: 'The Portal was changed meanwhile. Read it again.' })).toBeNull();
  });
});

it('reads addresses as people paste them, each once', () => {
  expect(addressesIn('Mia <mia@example.com>, jonas@example.com;\n\nmia@example.com')).toEqual(['mia@example.com', 'jonas@example.com']);
});

describe('a form that is built', () => {
  it('keeps the order of its fields, without what they do not have', () => {
    const fields = [newField('short_text', 'Roll', []), newField('radio', 'Camera', [])];
    const sent = fieldsOf(moved(fields, 1, 0));
    expect(sent).toEqual([
      { name: 'camera', label: 'Camera', type: 'radio', visibility: 'optional', position: 0, options: ['A', 'B'] },
      { name: 'roll', label: 'Roll', type: 'short_text', visibility: 'optional', position: 1 },
    ]);
    expect(fieldsOf(draftFields(sent))).toEqual(sent);
  });

  it('names a new field by its label, until somebody names it', () => {
    const field = newField('number', 'Number', []);
    const [labelled] = changed([field], field.key, { label: 'Roll' });
    expect(labelled!.name).toBe('roll');
    const [named] = changed([labelled!], field.key, { name: 'roll_no' });
    expect(changed([named!], field.key, { label: 'Card' })[0]!.name).toBe('roll_no');
    const [saved] = draftFields(fieldsOf([labelled!]));
    expect(changed([saved!], saved!.key, { label: 'Card' })[0]!.name).toBe('roll');
  });

  it('gives fields names that are free', () => {
    expect(freeName('Größe der Rolle!', [])).toBe('gro_e_der_rolle');
    expect(freeName('id', [])).toBe('id_2');
    expect(freeName('☕', [{ name: 'field' }])).toBe('field_2');
  });

  it('moves none beyond its ends', () => {
    expect([moved(['a', 'b', 'c'], 0, -1), moved(['a', 'b', 'c'], 2, 3), moved(['a', 'b', 'c'], 0, 2)]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
      ['b', 'c', 'a'],
    ]);
  });
});
