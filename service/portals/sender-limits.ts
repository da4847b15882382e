import type { Bucket } from '../http/leaky-bucket.ts';
import type { SharedBuckets } from '../http/shared-buckets.ts';

/** Limits for unverified senders through Portals (docs/decisions/0041). Set by the operator. */
export interface SenderLimits {
  /** New packages from one address through one Portal, per hour. */
  readonly packagesPerHour: number;
  /** Packages from one address for which one Portal sends mail, per day. */
  readonly announcementsPerDay: number;
  /** Messages from Portals to one of their recipients, per day. */
  readonly mailsPerRecipientAndDay: number;
  /** Receipts to one address that senders gave as their own, per day. */
  readonly receiptsPerAddressAndDay: number;
}

const defaultSenderLimits: SenderLimits = {
  packagesPerHour: 60,
  announcementsPerDay: 200,
  mailsPerRecipientAndDay: 200,
  receiptsPerAddressAndDay: 10,
};

/** What the operator has set, and the defaults of the rest. */
export const senderLimits = (given: Partial<SenderLimits> = {}): SenderLimits => ({ ...defaultSenderLimits, ...given });

/** Receipts through one Portal, per day: limits mail to people who are not involved, from however many addresses it is caused. */
const receiptsPerPortalAndDay = 1_000;

const hour = 3_600_000;
const day = 24 * hour;

/** A burst of `max`, refilled evenly over the given time. */
const bucket = (name: string, max: number, milliseconds: number, slotKind?: string): Bucket => ({
  name,
  max,
  millisecondsEach: Math.round(milliseconds / Math.max(1, max)),
  ...(slotKind !== undefined && { slotKind }),
});

export interface MailToSend {
  readonly id: string;
  readonly kind: 'link' | 'receipt';
  readonly recipient: string;
}

interface Parts {
  readonly buckets: SharedBuckets;
  readonly senderLimits: SenderLimits;
}

/** Counts a new package. Errors: `rate_limited` (429). */
export async function countPackage({ buckets, senderLimits }: Parts, portalId: string, peer: string): Promise<void> {
  await buckets.takeAll([bucket(`packages through ${portalId} from ${peer}`, senderLimits.packagesPerHour, hour, 'packages from')]);
}

/** Counts the answers to a Portal's form, which are kept before there is a package: twice as many, since some are given again. Errors: `rate_limited` (429). */
export async function countResponse({ buckets, senderLimits }: Parts, portalId: string, peer: string): Promise<void> {
  await buckets.takeAll([bucket(`answers through ${portalId} from ${peer}`, 2 * senderLimits.packagesPerHour, hour, 'answers from')]);
}

/** Counts a package that causes mail; returns whether it may. */
export async function mayMailPackage({ buckets, senderLimits }: Parts, portalId: string, peer: string): Promise<boolean> {
  const asked = bucket(`mail through ${portalId} from ${peer}`, senderLimits.announcementsPerDay, day, 'mail from');
  return (await buckets.takeEach([asked])).has(asked.name);
}

/** Counts mail that tells of a transfer, which whoever has a link can cause; returns whether it may be sent. */
export async function mayMailTransfer({ buckets, senderLimits }: Parts, address: string): Promise<boolean> {
  const asked = bucket(`mail of transfers to ${address.toLowerCase()}`, senderLimits.mailsPerRecipientAndDay, day);
  return (await buckets.takeEach([asked])).has(asked.name);
}

/** Counts the messages of a Portal's package; returns the ids of those that may be sent. */
export async function takeMailAllowance(
  { buckets, senderLimits }: Parts,
  portalId: string,
  mails: readonly MailToSend[],
): Promise<ReadonlySet<string>> {
  const bucketsOf = ({ kind, recipient }: MailToSend): readonly Bucket[] => {
    const address = recipient.toLowerCase();
    return kind === 'link'
      ? [bucket(`mail of Portals to ${address}`, senderLimits.mailsPerRecipientAndDay, day)]
      : [
          bucket(`receipts to ${address}`, senderLimits.receiptsPerAddressAndDay, day, 'receipts to'),
          bucket(`receipts of ${portalId}`, receiptsPerPortalAndDay, day),
        ];
  };
  const taken = await buckets.takeEach(mails.flatMap(bucketsOf));
  return new Set(mails.filter((mail) => bucketsOf(mail).every(({ name }) => taken.has(name))).map(({ id }) => id));
}
