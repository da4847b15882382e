import { type Static, Type } from 'typebox';
import { FormValues } from '../../hosted/forms.ts';
import { Bytes } from '../../schema.ts';
import { Patterns } from './fields.ts';

/** What an automation would do, and what its patterns mean, before it does anything: contract/agent.md §10. */

export const DryRun = Type.Object(
  {
    packages: Type.Array(
      Type.Object({
        name: Type.String({ description: "The package's name." }),
        files: Type.Integer({ minimum: 0 }),
        total_bytes: Bytes,
        paths: Type.Array(Type.String(), { description: 'Inside the watched folder, with `/`; the first 100.', examples: [['A001.mov']] }),
        form: Type.Optional({ ...FormValues, description: "The answers to the Portal's form." }),
        missing_fields: Type.Optional(
          Type.Array(Type.String(), { description: 'Fields of the form that would be asked.', examples: [['camera']] }),
        ),
      }),
    ),
    skipped: Type.Array(
      Type.Object({
        path: Type.String({ examples: ['A002.mov.part'] }),
        reason: Type.String({ examples: ['Its name says that it is not ready (*.part).'] }),
      }),
    ),
    truncated: Type.Boolean({ description: 'Whether there is more than is shown.' }),
  },
  { title: 'DryRun' },
);
export type DryRun = Static<typeof DryRun>;

export const TestPatterns = Type.Object({
  include: Type.Optional(Patterns),
  exclude: Type.Optional(Patterns),
  not_ready: Type.Optional(Patterns),
  folder: Type.Optional({
    ...Type.String({ maxLength: 4_096 }),
    description: 'The watched folder. Nothing is looked up there; its name counts for `not_ready`.',
    examples: ['/media/renders'],
  }),
  names: Type.Array(Type.String({ minLength: 1, maxLength: 4_096 }), {
    maxItems: 1_000,
    description: 'Paths inside the watched folder, with `/`.',
    examples: [['A001.mov']],
  }),
});
export type TestPatterns = Static<typeof TestPatterns>;

export const TestedPatterns = Type.Object({
  results: Type.Array(
    Type.Object({
      name: Type.String(),
      sent: Type.Boolean(),
      by: Type.String({ description: 'The pattern that decided; empty if none did.', examples: ['*.mov'] }),
    }),
  ),
});
export type TestedPatterns = Static<typeof TestedPatterns>;
