import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeForm, type FormFilling, fillForm } from '#engine/automations/rules/form-fill/fill-form.ts';
import { formSourceFault } from '#engine/automations/rules/form-fill/form-source.ts';
import type { FormField } from '#protocol/hosted/forms.ts';

const field = (name: string, more: Partial<FormField> = {}): FormField => ({
  name,
  label: name,
  type: 'short_text',
  visibility: 'required',
  position: 0,
  ...more,
});

const camera = field('camera', { type: 'dropdown', options: ['A', 'B'], position: 1 });
const scene = field('scene', { position: 2 });
const sidecars: Record<string, string> = { '*.json': '{"scene": {"number": 12}, "tags": ["night", "Rain"], "ok": true}' };

const fill = (fields: FormField[], more: Partial<FormFilling> = {}) =>
  fillForm({
    fields,
    entry: { name: 'A001_12.mov', folders: ['day 1', 'in'] },
    readSidecar: async (file) => (file in sidecars ? { path: 'A001_12.json', bytes: new TextEncoder().encode(sidecars[file]) } : null),
    ...more,
  });

describe("a Portal's form", () => {
  it('is filled from a fixed value, the name, a sidecar and a folder', async () => {
    const { values, missing, faults } = await fill([camera, scene, field('roll'), field('day'), field('notes')], {
      fixed: { notes: { value: 'Card 2' } },
      sources: {
        camera: { source: 'name', pattern: '^(?P<value>[A-Z])' },
        scene: { source: 'sidecar', file: '*.json', key: 'scene.number' },
        roll: { source: 'name', pattern: '_(?<value>\\d+)' },
        day: { source: 'folder' },
      },
    });
    expect(values).toEqual({
      camera: { value: 'A' },
      scene: { value: '12' },
      roll: { value: '12' },
      day: { value: 'day 1' },
      notes: { value: 'Card 2' },
    });
    expect({ missing, faults }).toEqual({ missing: [], faults: [] });
  });

  it('says what is missing, and why', async () => {
    const { missing, faults } = await fill([scene, camera, field('roll', { position: 3 }), field('day', { position: 4 })], {
      fixed: { camera: { value: 'C' } },
      sources: {
        scene: { source: 'name', pattern: 'S(?P<value>\\d+)' },
        roll: { source: 'sidecar', file: '*.xml', key: 'roll' },
        day: { source: 'folder', level: 2 },
      },
    });
    expect(missing.map(({ name }) => name)).toEqual(['camera', 'scene', 'roll', 'day']);
    expect(faults).toEqual([
      { field: 'camera', message: '"C" is none of the options: A, B.' },
      { field: 'scene', message: 'The name A001_12.mov does not match S(?P<value>\\d+).' },
      { field: 'roll', message: 'There is no file *.xml beside it or in it.' },
      { field: 'day', message: 'There are not so many folders above it.' },
    ]);
  });

  it('takes the fixed answer, then the default, where the source gives none', async () => {
    const { values, missing } = await fill([scene, field('take', { default_value: '1' })], {
      fixed: { scene: { value: '7' } },
      sources: { scene: { source: 'folder', level: 9 }, take: { source: 'folder', level: 9 } },
    });
    expect(values).toEqual({ scene: { value: '7' }, take: { value: '1' } });
    expect(missing).toEqual([]);
  });

  it('holds answers to the rules of the page', async () => {
    const fields = [
      field('mail', { type: 'email' }),
      field('day', { type: 'date', position: 1 }),
      field('count', { type: 'number', position: 2 }),
    ];
    const { faults } = await fill(fields, { fixed: { mail: { value: 'nobody' }, day: { value: '23.11.' }, count: { value: 'x' } } });
    expect(faults.map(({ message }) => message)).toEqual([
      'It is no e-mail address.',
      'It is no date, such as 2026-11-23.',
      'It is no number.',
    ]);
  });

  it('reads choices and checkboxes whatever the letters', async () => {
    const tags = field('tags', { type: 'checkbox', options: ['Rain', 'Night', 'Snow'] });
    const fields = [camera, tags, field('ok', { type: 'checkbox' }), field('rights', { type: 'checkbox' })];
    const { values, missing } = await fill(fields, {
      fixed: { camera: { value: ' b ' }, rights: { value: 'Yes' } },
      sources: {
        tags: { source: 'sidecar', file: '*.json', key: 'tags' },
        ok: { source: 'sidecar', file: '*.json', key: 'ok' },
      },
    });
    expect(values).toMatchObject({
      camera: { value: 'B' },
      tags: { value: ['Rain', 'Night'] },
      ok: { value: true },
      rights: { value: true },
    });
    expect(missing).toEqual([]);
  });

  it('leaves read-only fields to the service, fills hidden ones, and asks no field that is not there', async () => {
    const fields = [field('fixed', { visibility: 'readonly', default_value: 'x' }), field('secret', { visibility: 'hidden' })];
    const { values } = await fill(fields, { fixed: { fixed: { value: 'y' }, secret: { value: 's' }, other: { value: 'o' } } });
    expect(values).toEqual({ secret: { value: 's' } });
  });

  it("states the package's name and sender where the form asks for them", async () => {
    const fields = [field('title', { type: 'package_name' }), field('from', { type: 'sender_email', visibility: 'optional' })];
    const { values } = await fill(fields, { known: { package_name: 'Day 12', sender_email: 'mia@example.com' } });
    expect(values).toEqual({ title: { value: 'Day 12' }, from: { value: 'mia@example.com' } });
  });

  it('is completed by what a person answers', async () => {
    const before = await fill([camera, scene], { fixed: { scene: { value: '7' } } });
    expect(before.missing).toEqual([camera]);
    expect(completeForm([camera, scene], before.values, { camera: { value: 'a' } })).toEqual({
      values: { camera: { value: 'A' }, scene: { value: '7' } },
      missing: [],
      faults: [],
    });
    expect(completeForm([camera, scene], before.values, {}).missing).toEqual([camera]);
  });

  it('never fails for what stands in a name or a file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1 }),
        fc.uint8Array(),
        fc.constantFrom('a.json', 'a.csv', 'a.xml'),
        async (name, bytes, path) => {
          const { values, missing } = await fill([scene], {
            entry: { name, folders: [] },
            sources: { scene: { source: 'sidecar', file: '*', key: name } },
            readSidecar: async () => ({ path, bytes }),
          });
          expect(missing.length === 1 || values.scene?.value !== '').toBe(true);
        },
      ),
    );
  });
});

describe('a source', () => {
  it('is refused when it cannot be used', () => {
    expect(formSourceFault({ source: 'name', pattern: '^A' })).toContain('(?P<value>…)');
    expect(formSourceFault({ source: 'name', pattern: '(?P<value>a' })).toContain('is not a regular expression that can be used');
    expect(formSourceFault({ source: 'name', pattern: '(?P<value>a{1000})' })).toContain('more than 255 times');
    expect(formSourceFault({ source: 'sidecar', file: '*.txt', key: 'a' })).toContain('.json, .csv or .xml');
    expect(formSourceFault({ source: 'sidecar', file: '*.JSON', key: 'a' })).toBeNull();
    expect(formSourceFault({ source: 'folder' })).toBeNull();
    expect(formSourceFault({ source: 'name', pattern: '(?<value>.{1,8})' })).toBeNull();
  });
});
