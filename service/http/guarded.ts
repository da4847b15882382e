import type { Context } from '../handler.ts';
import type { GuessSubject } from './guesses.ts';

/** Something protected by a secret that people choose, and that can therefore be guessed. */
export interface Guarded {
  readonly kind: 'account' | 'portal' | 'link';
  readonly name: string;
  /** The right answer or a hash of it. Set where changing it must make all known sources unknown again. */
  readonly answer?: string;
  /** For all unknown sources combined: a multiple of the usual burst limit, and a multiple of the usual drain rate. */
  readonly unknown: { readonly allowance: number; readonly pace: number };
  /** How many known addresses and devices are stored. */
  readonly keep: number;
}

type Parts = Pick<Context, 'guesses' | 'knownSources' | 'peer' | 'device'>;

/** The source of an earlier right answer. A device is stronger evidence than an address, because people share addresses. */
export type Known = 'device' | 'address' | null;

/** Nobody else has a device's secret, so after ten wrong answers its owner waits 90 s, not half an hour. */
const devicePace = 20;

const deviceOf = ({ device }: Parts): string => `device ${device}`;
const addressOf = ({ peer }: Parts): string => `address ${peer}`;

const knownAs = ({ kind, name, answer = '' }: Guarded): string => JSON.stringify([kind, name, answer]);

export async function knownFrom(parts: Parts, guarded: Guarded): Promise<Known> {
  const sources = [...(parts.device === null ? [] : [deviceOf(parts)]), addressOf(parts)];
  const found = await parts.knownSources.among(knownAs(guarded), sources);
  return found.has(deviceOf(parts)) ? 'device' : found.has(addressOf(parts)) ? 'address' : null;
}

/**
 * Checks an answer with rate limits. A device or address that gave a right answer before is counted separately, so
 * that attackers elsewhere cannot lock it out. All other sources share one limit, which holds against guessing from
 * any number of addresses (docs/decisions/0041).
 * Errors: `rate_limited` (429).
 */
export async function judgeGuess(parts: Parts, guarded: Guarded, known: Known, compare: () => Promise<boolean>): Promise<boolean> {
  return await parts.guesses.judge(subjectsOf(parts, guarded, known), compare);
}

/** After a right answer: stores the device and the address as known. */
export async function rememberSource(parts: Parts, guarded: Guarded, known: Known): Promise<void> {
  if (known === 'device') return;
  if (parts.device !== null) await parts.knownSources.add(knownAs(guarded), deviceOf(parts), guarded.keep);
  if (known === null) await parts.knownSources.add(knownAs(guarded), addressOf(parts), guarded.keep);
}

function subjectsOf(parts: Parts, { kind, name, unknown }: Guarded, known: Known): readonly GuessSubject[] {
  const thing = `${kind} ${name}`;
  if (known === 'device') return [{ name: `${thing} known ${deviceOf(parts)}`, pace: devicePace }];
  if (known === 'address') return [{ name: `${thing} known ${addressOf(parts)}` }];
  // The client makes up the account name, and can use any number of addresses.
  return [
    { name: `${thing} from ${parts.peer}`, places: `${kind} from` },
    { name: thing, ...unknown, places: kind },
  ];
}
