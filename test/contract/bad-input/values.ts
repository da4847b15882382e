import fc from 'fast-check';
import type { JsonSchema } from '#protocol/json-schema.ts';
import { soaking } from '#test/support/faults/seeds.ts';

/** Some of each kind; the soak tries more of the same kinds. */
const some = <T>(usual: readonly T[], more: readonly T[]): readonly T[] => (soaking ? [...usual, ...more] : usual);

const texts = some(['', ' ', 'null', '0', "'; drop table users; --", '../..', 'ÿ𝄞é\u202e'], ['x', '-', '-1', '1e999', '{}', '%']);
const numbers = some([-1, 1.5, 1e21, Number.MAX_SAFE_INTEGER + 2], [0, -1e308]);
const others: readonly unknown[] = some<unknown>([null, true, [], {}, { id: 1 }, { toString: 1 }], [[null], [[]]]);

/** Values at the edges of what a schema says, and far beyond them. Whether one fits is for a validator to say. */
export function edgeValues(schema: JsonSchema): unknown[] {
  const { minLength = 0, maxLength, minItems = 0, maxItems, minimum, maximum } = schema;
  const ofLength = (length: number) => 'x'.repeat(length);
  const times = ['2026-13-45T00:00:00Z', '2026-11-20T25:00:00.000Z', 'yesterday', '2026-11-20', '20261120', '+275760-09-13T00:00:00.001Z'];
  const addresses = ['a@', '@b.c', 'a b@c.d', 'a@b.c\r\nBcc: x@y.z', `${ofLength(250)}@example.com`];
  return [
    ...others,
    ...numbers,
    ...texts,
    ...(minimum === undefined ? [] : [minimum - 1, minimum]),
    ...(maximum === undefined ? [] : [maximum + 1, maximum]),
    ...(maxLength === undefined ? [] : [ofLength(maxLength + 1), ofLength(maxLength), '𝄞'.repeat(maxLength)]),
    ...(minLength > 0 ? [ofLength(minLength - 1), ofLength(minLength)] : []),
    ...(maxItems === undefined || maxItems > 1_000 ? [] : [Array.from({ length: maxItems + 1 }, () => ({}))]),
    ...(minItems > 0 ? [Array.from({ length: minItems - 1 }, () => ({}))] : []),
    ...(schema.format?.startsWith('date') || schema.anyOf ? times : []),
    ...(schema.format === 'email' ? addresses : []),
    ...(schema.enum ? [`${String(schema.enum[0])} `, String(schema.enum[0]).toUpperCase()] : []),
  ];
}

/** Anything that JSON can say, but for what is taken out of every body, which a validator does not know. */
export const anyJson = fc.jsonValue({ maxDepth: 2 }).filter((value) => !/__proto__|constructor/.test(JSON.stringify(value)));

/** Text that JSON can say and no database holds. */
export const unstorable = { 'a NUL character': 'a\0b', 'half of a surrogate pair': 'a\ud800b' } as const;
