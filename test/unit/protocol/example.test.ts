import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleOf } from '#protocol/example.ts';
import type { JsonSchema } from '#protocol/json-schema.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { schemaCompiler } from '../../support/service/schema-validator.ts';

const bounds = (name: 'Length' | 'Items' | 'Properties', most: number) =>
  fc.tuple(fc.option(fc.nat(most)), fc.option(fc.nat(most))).map(([low, extra]) => ({
    ...(low === null ? {} : { [`min${name}`]: low }),
    ...(extra === null ? {} : { [`max${name}`]: (low ?? 0) + extra }),
  }));

const numberBounds = fc.tuple(fc.option(fc.integer({ min: -1000, max: 1000 })), fc.option(fc.nat(1000))).map(([low, extra]) => ({
  ...(low === null ? {} : { minimum: low }),
  ...(extra === null ? {} : { maximum: (low ?? -500) + extra }),
}));

/** Schemas as the route tables have them, nested to a few levels. */
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    bounds('Length', 20).map((limits): JsonSchema => ({ type: 'string', ...limits })),
    fc.constantFrom('date-time', 'date', 'email', 'uri', 'uuid').map((format): JsonSchema => ({ type: 'string', format })),
    fc.array(fc.string(), { minLength: 1, maxLength: 4 }).map((values): JsonSchema => ({ type: 'string', enum: [...new Set(values)] })),
    fc.tuple(fc.constantFrom('integer', 'number'), numberBounds).map(([type, limits]): JsonSchema => ({ type, ...limits })),
    fc.constantFrom<JsonSchema>({ type: 'boolean' }, { type: 'null' }),
    fc.tuple(tie('schema'), bounds('Items', 3)).map(([items, limits]): JsonSchema => ({ type: 'array', items, ...limits })),
    fc
      .tuple(fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), tie('schema'), { maxKeys: 4 }), fc.boolean())
      .map(([properties, all]): JsonSchema => ({ type: 'object', properties, required: all ? Object.keys(properties) : [] })),
    fc
      .tuple(tie('schema'), bounds('Properties', 3))
      .map(([values, limits]): JsonSchema => ({ type: 'object', patternProperties: { '^.*$': values }, ...limits })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): JsonSchema => ({ anyOf })),
  ),
}));

describe('exampleOf', () => {
  it('makes a value that fits, of any schema that the tables can hold', () => {
    const compile = schemaCompiler();
    fc.assert(
      fc.property(anySchema, fc.string(), (schema, hint) => {
        const validate = compile(schema);
        validate(exampleOf(schema, hint));
        expect(validate.errors ?? []).toEqual([]);
      }),
      { numRuns: runs(100, 3_000) },
    );
  });

  it('gives the same value each time', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        expect(exampleOf(structuredClone(schema))).toEqual(exampleOf(schema));
      }),
    );
  });

  it.each<[JsonSchema, unknown]>([
    [{ type: 'string', examples: ['first', 'second'], default: 'other' }, 'first'],
    [{ type: 'integer', default: 50, minimum: 1 }, 50],
    [{ type: 'string', enum: ['active', 'inactive'] }, 'active'],
    [{ const: 'transfer' }, 'transfer'],
    [{ anyOf: [{ type: 'integer', minimum: 3 }, { type: 'null' }] }, 3],
    [{ type: 'integer', minimum: 7, multipleOf: 5 }, 10],
    [
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'integer' } } },
          { type: 'object', properties: { b: { type: 'null' } } },
        ],
      },
      { a: 0, b: null },
    ],
  ])('prefers what the schema says: %j', (schema, value) => {
    expect(exampleOf(schema)).toEqual(value);
  });

  it('names the place of a pattern for which nothing can be guessed', () => {
    const schema: JsonSchema = { type: 'object', properties: { part_number: { type: 'string', pattern: '^[1-9]$' } } };
    expect(() => exampleOf(schema)).toThrow(/part_number/);
  });
});
