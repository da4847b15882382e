/**
 * A response that its handler has serialised already, where that is cheaper than objects and the usual serialisation.
 * It is not checked again, so it must have exactly the fields of the route's schema.
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
