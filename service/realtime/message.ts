import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** Messages between processes. `from` is the sender's own id, by which a process ignores its own messages. */
const Message = Type.Union([
  /** The sender watches these packages, for a limited time. */
  Type.Object({ type: Type.Literal('watching'), from: Type.String(), packages: Type.Array(Type.String()) }),
  /** A new process asks all others for their `watching` message. */
  Type.Object({ type: Type.Literal('who'), from: Type.String() }),
  /** A package of this Team was finalized. From no process: PostgreSQL sends it when the transaction is committed. */
  Type.Object({ type: Type.Literal('finalized'), from: Type.String(), team: Type.String() }),
  /** What changed in a Team that somebody watches. From no process: the database's triggers send it (migration 0081). */
  Type.Object({
    type: Type.Literal('team'),
    from: Type.String(),
    team: Type.String(),
    what: Type.String(),
    ids: Type.Union([Type.Array(Type.String()), Type.Null()]),
  }),
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

/** Null for an invalid message, e.g. of a newer version of this program. */
export function parseMessage(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return checked.Check(value) ? value : null;
  } catch {
    return null;
  }
}
