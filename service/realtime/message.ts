import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** What processes say to each other. `from` is the process's own id, by which it knows its own words. */
const Message = Type.Union([
  /** Somebody there watches these packages, for a while. */
  Type.Object({ type: Type.Literal('watching'), from: Type.String(), packages: Type.Array(Type.String()) }),
  /** A process that has just come asks for the former. */
  Type.Object({ type: Type.Literal('who'), from: Type.String() }),
  Type.Object({
    type: Type.Literal('changed'),
    from: Type.String(),
    package: Type.String(),
    changes: Type.Array(
      Type.Tuple([Type.String(), Type.Union([Type.Literal('created'), Type.Literal('finalized'), Type.Literal('deleted')])]),
    ),
    unnamed: Type.Integer(),
  }),
]);
export type Message = Static<typeof Message>;

const checked = Compile(Message);

/** Null for what is not one, e.g. of a newer version of this program. */
export function parseMessage(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return checked.Check(value) ? value : null;
  } catch {
    return null;
  }
}
