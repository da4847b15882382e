import type { Blueprint } from '#protocol/schema.ts';
import { addressBytes, type CompanyRules, createRefusable, type RequestPorts } from './company.ts';
import { MoveError } from './errors.ts';
import { createGatherer } from './gather.ts';
import { manyParts, manyPartsAnswers } from './many-parts.ts';
import type { ByteSource, ChunkSender, SentChunk, Slice } from './ports.ts';

/** A small part that goes in a request with others. */
export interface PartToSend<S> {
  readonly blueprint: Blueprint;
  readonly source: S;
  readonly slice: Slice;
  readonly onBytes: (count: number) => void;
}

/** What a request with many parts has come to. */
export interface Shipped {
  /** Of each part that went its BLAKE3, 64 hex digits; `null` of one that could not be read, and so is not in the request. */
  readonly blake3: readonly (string | null)[];
  /** What the storage answered to those that went. */
  readonly text: string;
}

/** Reads parts and sends those that can be read as one request (`many-parts.ts`). Failures are `MoveError`s, or the signal's reason. */
export type PartsShipper<S> = (url: string, parts: readonly PartToSend<S>[], signal: AbortSignal) => Promise<Shipped>;

export interface ManyShipmentsPorts<S> extends RequestPorts {
  readonly ship: PartsShipper<S>;
}

/** The requests with many parts of one transfer: whoever makes them, those that are refused are counted together. */
export interface ManyShipments<S> {
  /** Sends these in one request, and says what came of each; `null`: it did not go, which after a refusal of the request as a whole is each. */
  send(parts: readonly PartToSend<S>[]): Promise<(SentChunk | MoveError | null)[]>;
  /** False: too many were refused, and none is made any more. */
  readonly allowed: boolean;
}

export interface ManySenderPorts<S extends ByteSource> extends ManyShipmentsPorts<S>, CompanyRules {
  /** Sends what cannot go with others. */
  readonly alone: ChunkSender<S>;
  /** By default requests of its own. */
  readonly shipments?: ManyShipments<S>;
}

export function createManyShipments<S>({ ship, gate, url, signal }: ManyShipmentsPorts<S>): ManyShipments<S> {
  const requests = createRefusable(new Set(['storage_refused', 'address_refused', 'upload_gone']));
  return {
    get allowed() {
      return requests.allowed;
    },
    async send(parts) {
      const sent = await requests.attempt(async () => {
        const { blake3, text } = await gate(() => ship(url, parts, signal));
        const went = blake3.filter((digest) => digest !== null).length;
        if (went === 0) return null;
        const answers = manyPartsAnswers(text, went);
        let at = 0;
        return blake3.map((digest) => (digest === null ? null : sentOf(answers[at++]!, digest)));
      });
      return sent ?? parts.map(() => null);
    },
  };
}

/**
 * Sends small parts many in a request; what each comes to is its own. One that cannot be read goes `alone`, and comes
 * out there as it would have; so do all of a request that is refused as a whole. A request that is lost fails each.
 */
export function createManySender<S extends ByteSource>(ports: ManySenderPorts<S>): ChunkSender<S> {
  const { shipments = createManyShipments(ports), alone, gate, pause, atOnce = 1, least = 1 } = ports;

  const together = createGatherer<PartToSend<S>, SentChunk | MoveError | null>({
    most: manyParts.parts,
    mostWeight: manyParts.bytes,
    weightOf: ({ slice }) => slice.length + addressBytes,
    pause,
    atOnce,
    run: async (parts) => (parts.length < least ? parts.map(() => null) : shipments.send(parts)),
  });

  return async (blueprint, source, slice, options) => {
    // Only local storage takes many at once, and its etag is no MD5.
    const fits = !options.md5 && slice.length <= manyParts.partBytes && shipments.allowed;
    const sent = fits ? await together({ blueprint, source, slice, onBytes: options.onBytes }) : null;
    if (sent instanceof MoveError) throw sent;
    return sent ?? gate(() => alone(blueprint, source, slice, options));
  };
}

const sentOf = (answer: string | MoveError, blake3: string): SentChunk | MoveError =>
  answer instanceof MoveError ? answer : { etag: answer, blake3 };

/** Tells each part what of it has gone out, in their order, after the head. */
export function sharesOf(parts: readonly Pick<PartToSend<unknown>, 'slice' | 'onBytes'>[], headLength: number): (count: number) => void {
  let gone = -headLength;
  let index = 0;
  let ofThis = 0;
  return (count) => {
    gone += count;
    while (index < parts.length && gone > 0) {
      const { slice, onBytes } = parts[index]!;
      const more = Math.min(gone, slice.length - ofThis);
      if (more > 0) onBytes(more);
      gone -= more;
      ofThis += more;
      if (ofThis < slice.length) return;
      index++;
      ofThis = 0;
    }
  };
}
