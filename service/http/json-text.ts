/**
 * A reply that its handler has written already, where that costs less than objects and their serialisation. Nothing
 * looks at it again, so it must have the fields of the route's schema and no other.
 */
export class JsonText {
  /** In UTF-8. */
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  toJSON(): unknown {
    return JSON.parse(Buffer.from(this.bytes).toString());
  }
}
