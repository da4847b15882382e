/** Senders of one part at the same time. Whose line broke may be heard of minutes later, and has begun again meanwhile. */
const mostSenders = 3;

/**
 * Who is sending which part. Each holds on the disk what it has sent, until its part is whole: so one more sender of a part than
 * there may be cuts the one that began first.
 */
export class PartSenders {
  readonly #cuts = new Map<string, Set<() => void>>();

  /** Adds a sender of a part of the upload in `folder`; `cut` disconnects it. Returns what ends it, whatever becomes of the part. */
  begin(folder: string, partNumber: number, cut: () => void): () => void {
    const name = `${folder} ${partNumber}`;
    const cuts = this.#cuts.get(name) ?? new Set();
    this.#cuts.set(name, cuts);
    const own = () => cut();
    cuts.add(own);
    if (cuts.size > mostSenders) {
      const [first] = cuts;
      cuts.delete(first!);
      first!();
    }
    return () => {
      cuts.delete(own);
      if (cuts.size === 0 && this.#cuts.get(name) === cuts) this.#cuts.delete(name);
    };
  }
}
