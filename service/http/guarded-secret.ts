import type { Context } from '../handler.ts';
import type { AttemptSubject } from './attempt-limiter.ts';

/** Something protected by a secret that people choose, and that can therefore be guessed. */
export interface GuardedSecret {
  readonly kind: 'account' | 'portal' | 'link';
  readonly name: string;
  /** The right answer or a hash of it. Set where changing it must make all known sources unknown again. */
  readonly answer?: string;
  /** Changes whenever somebody with the right to it sets another answer: wrong answers to the earlier one count no more. */
  readonly version?: number;
  /** For all unknown sources combined: a multiple of the usual burst limit, and a multiple of the usual drain rate. */
  readonly unknownSources: { readonly burstFactor: number; readonly drainFactor: number };
  /** How many known addresses and devices are stored. */
  readonly maxKnownSources: number;
}

type Parts = Pick<Context, 'attemptLimiter' | 'knownSources' | 'peer' | 'device'>;

/** The source of an earlier right answer. A device is stronger evidence than an address, because people share addresses. */
export type KnownSource = 'device' | 'address' | null;

/** Nobody else has a device's secret, so after ten wrong answers its owner waits 90 s, not half an hour. */
const deviceDrainFactor = 20;

const deviceOf = ({ device }: Parts): string => `device ${device}`;
const addressOf = ({ peer }: Parts): string => `address ${peer}`;

const subjectKey = ({ kind, name, answer = '' }: GuardedSecret): string => JSON.stringify([kind, name, answer]);

export async function knownSourceOf(parts: Parts, guarded: GuardedSecret): Promise<KnownSource> {
  const sources = [...(parts.device === null ? [] : [deviceOf(parts)]), addressOf(parts)];
  const found = await parts.knownSources.among(subjectKey(guarded), sources);
  return found.has(deviceOf(parts)) ? 'device' : found.has(addressOf(parts)) ? 'address' : null;
}

/**
 * Checks an answer with rate limits. A device or address that gave a right answer before is counted separately, so
 * that attackers elsewhere cannot lock it out. All other sources share one limit, which holds against guessing from
 * any number of addresses (docs/decisions/0041).
 * Errors: `rate_limited` (429).
 */
export async function checkAttempt(
  parts: Parts,
  guarded: GuardedSecret,
  known: KnownSource,
  compare: () => Promise<boolean>,
): Promise<boolean> {
  return await parts.attemptLimiter.attempt(subjectsOf(parts, guarded, known), compare);
}

/** After a right answer: stores the device and the address as known. */
export async function addKnownSource(parts: Parts, guarded: GuardedSecret, known: KnownSource): Promise<void> {
  if (known === 'device') return;
  if (parts.device !== null) await parts.knownSources.add(subjectKey(guarded), deviceOf(parts), guarded.maxKnownSources);
  if (known === null) await parts.knownSources.add(subjectKey(guarded), addressOf(parts), guarded.maxKnownSources);
}

function subjectsOf(parts: Parts, { kind, name, version, unknownSources }: GuardedSecret, known: KnownSource): readonly AttemptSubject[] {
  const thing = version === undefined ? `${kind} ${name}` : `${kind} ${name} version ${version}`;
  if (known === 'device') return [{ name: `${thing} known ${deviceOf(parts)}`, drainFactor: deviceDrainFactor }];
  if (known === 'address') return [{ name: `${thing} known ${addressOf(parts)}` }];
  // The client makes up the account name, and can use any number of addresses.
  return [
    { name: `${thing} from ${parts.peer}`, slotKind: `${kind} from` },
    { name: thing, ...unknownSources, slotKind: kind },
  ];
}
