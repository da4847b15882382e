import { type Static, type TSchema, Type } from 'typebox';
import { limits } from './limits.ts';
import { namePattern, nameRule } from './names.ts';
import { colorPattern, currencyPattern, fileTypePattern, timeOfDayPattern, webAddressPattern } from './patterns.ts';
import { subdomainPattern } from './subdomain.ts';

/** Building blocks that the resources' schemas share. */

export const Id = Type.String({ minLength: 1, maxLength: 128, description: 'Opaque identifier.' });
export const DateTime = Type.String({ format: 'date-time', description: 'ISO 8601, UTC. `0001-01-01T00:00:00.000Z` stands for unset.' });
export const Email = Type.String({ format: 'email', maxLength: limits.emailLength });
/** A name that a user chooses. */
export const Name = Type.String({
  minLength: 1,
  maxLength: limits.nameLength,
  pattern: namePattern,
  description: 'Has something to see in it, and no character that turns the direction of text.',
  examples: ['Day 12'],
});
export const Text = Type.String({ maxLength: limits.textLength });
export const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes.', examples: [734_003_200] });
export const Secret = Type.String({ minLength: 1, maxLength: 1_024 });

/** The rule behind a pattern, as the end of a sentence; for other patterns the message shows the pattern itself. */
export const patternRules: Readonly<Record<string, string>> = {
  [namePattern]: nameRule,
  [subdomainPattern]: 'must be a label of a host name: 3 to 53 of a-z, 0-9 and -, which is neither first nor last, nor third and fourth',
  [colorPattern]: 'must be a color like #1f6feb, or empty',
  [currencyPattern]: 'must be three letters like EUR, or empty',
  [fileTypePattern]: 'must be an extension with its dot, like .mov',
  [timeOfDayPattern]: 'must be a time of day like 08:00',
  [webAddressPattern]: 'must begin with https:// or http://',
};

/** For `propertyNames` of a map: TypeBox validates a map's values, but not its names. */
export const names = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength }) as const;

/** A union of string literals, as an enum in JSON schema. */
export function Literals<const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** Where a list by keyset goes on (contract/conventions.md §6.5). */
export const Cursor = Type.String({ maxLength: 2_048, description: '`next` of the page before, which is opaque: goes on after it.' });

/** A v1.1 list: `{ metadata: { total }, records }` (contract/conventions.md §6.1). */
export function Page<T extends TSchema>(record: T) {
  return Type.Object({ metadata: Type.Object({ total: Type.Integer({ minimum: 0, examples: [1] }) }), records: Type.Array(record) });
}

/** A page of a list that goes on by keyset, beside its total (contract/conventions.md §6.5). */
export function KeysetPage<T extends TSchema>(record: T) {
  const next = Type.String({ description: '`after` of the next page; empty at the end.', examples: [''] });
  const metadata = Type.Object({
    total: Type.Integer({ minimum: 0, examples: [1] }),
    at_least: Type.Optional(Type.Boolean({ description: 'There are more than `total`: it was counted no further than `count_up_to`.' })),
  });
  return Type.Object({ metadata, records: Type.Array(record), next });
}

export const Blueprint = Type.Object(
  {
    url: Type.String(),
    method: Literals(['GET', 'POST', 'PUT', 'DELETE']),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
  },
  {
    title: 'Blueprint',
    description: 'A request to send to the storage as it is.',
    examples: [{ url: 'https://storage.example.com/objects/019aa1b2?partNumber=1&signature=…', method: 'PUT', headers: {}, body: '' }],
  },
);
export type Blueprint = Static<typeof Blueprint>;

export const BlueprintTemplate = Type.Object(
  {
    url: Type.String({ description: 'With `{part_number}`, which stands for each number from `first_part` to `last_part`.' }),
    method: Literals(['PUT']),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
    first_part: Type.Integer({ minimum: 1, description: 'Part numbers begin with 1: that of chunk 0.' }),
    last_part: Type.Integer({ minimum: 1 }),
  },
  {
    title: 'BlueprintTemplate',
    description: 'The blueprints of chunks that follow each other, as one.',
    examples: [
      {
        url: 'https://storage.example.com/objects/019aa1b2?partNumber={part_number}&first=1&last=100&signature=…',
        method: 'PUT',
        headers: {},
        body: '',
        first_part: 1,
        last_part: 100,
      },
    ],
  },
);
export type BlueprintTemplate = Static<typeof BlueprintTemplate>;

export const BatchBlueprint = Type.Object(
  {
    url: Type.String({ description: 'With `{upload_id}`, which stands for the id of each upload.' }),
    method: Literals(['PUT']),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
    upload_prefix: Type.String({ description: 'Every upload id begins with it; the rest are hex digits of the sender, 32 in all.' }),
    max_size: Type.Integer({ minimum: 0, description: 'Bytes of one file.', examples: [262_144] }),
  },
  {
    title: 'BatchBlueprint',
    description: 'The blueprints of the small files of one batch, as one. They are sent in requests for many parts, and in no others.',
    examples: [
      {
        url: 'https://storage.example.com/objects/019aa1b0?group=3f2a91c07d5e&signature=…&uploadId={upload_id}',
        method: 'PUT',
        headers: {},
        body: '',
        upload_prefix: '3f2a91c07d5e8',
        max_size: 262_144,
      },
    ],
  },
);
export type BatchBlueprint = Static<typeof BatchBlueprint>;
