import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import type { MailLanguage } from '../mail/language.ts';

/** An event of a package with its data at that moment, as webhooks receive it. */
export interface WebhookEvent {
  readonly event_id: string;
  readonly event_time: string;
  readonly event_type: WebhookPayload['event_type'];
  readonly object: WebhookPayload['object'];
  /** Made up, to try a webhook. */
  readonly test?: true;
}

/**
 * The data of each kind of job. Ids only, where the row can be read again; always small. Names and fields are stored in
 * the queue, so they are never renamed: `announce` is what fans an event out, and `occasion` its field.
 */
export interface JobData {
  /** Ends the packages that have expired. */
  'packages.expire': Record<string, never>;
  /** Deletes an expired package's objects from the storage, and the related rows. */
  'packages.free': { readonly package_id: string };
  /** Finalizes a package into which transfers have brought everything, as the user who asked for it. */
  'packages.finalize': { readonly package_id: string; readonly user_id: string };
  /** Deletes objects and uploads that no file uses any more. */
  'objects.sweep': Record<string, never>;
  /** Deletes answers to forms that were never used for a package. */
  'forms.sweep': Record<string, never>;
  /** Finds the webhooks that receive an event, and creates a delivery for each. */
  'webhooks.announce': WebhookEvent;
  /** One attempt at one delivery. */
  'webhooks.deliver': { readonly webhook_id: string; readonly attempt: number; readonly occasion: WebhookEvent };
  /** One attempt that somebody has asked for: a test or a replay. It waits for nothing that is to be told by itself. */
  'webhooks.deliver_now': JobData['webhooks.deliver'];
  /** Cleanup of old deliveries and deleted webhooks. */
  'webhooks.sweep': Record<string, never>;
  /**
   * Creates the messages of a finalized package. `held_back`: its sender is over the limit; the messages are
   * recorded, and not sent.
   */
  'mail.announce': { readonly package_id: string; readonly held_back?: boolean };
  /** Sends one message. */
  'mail.send': { readonly message_id: string };
  /** Mails a password reset, if the user exists. Runs after the response, so that the response reveals nothing. */
  'accounts.password_reset': { readonly email: string; readonly language: MailLanguage };
  /** Wakes a process because a transfer may be due. The transfers' rows say which one, and which process works on it. */
  'transfers.run': Record<string, never>;
  /** Forgets the credentials of deleted connections whose transfers are over. */
  'connections.sweep': Record<string, never>;
  /** Tells what was noted of packages: that they were downloaded, expire tomorrow, or that something failed. */
  'notices.tell': Record<string, never>;
  /** Cleanup of invitations and password resets that expired long ago. */
  'accounts.sweep': Record<string, never>;
  /** Gives new entries of the audit log their places in its chain. */
  'audit.chain': Record<string, never>;
  /** Removes entries that are older than their Team keeps them. */
  'audit.sweep': Record<string, never>;
  /** Writes down what each Team had stored yesterday. */
  'teams.storage_days': Record<string, never>;
  /** Counts what a Portal or a Team with a new limit stores already. */
  'quotas.count': { readonly holder_id: string };
  /** Tells that limits are reached, for the most part or wholly. */
  'quotas.tell': Record<string, never>;
  /** Counts anew what Teams and Portals with limits store. */
  'quotas.check': Record<string, never>;
  /** Reads a part of what is stored, and compares it with its digests. `until`: the end of the night in which another worker began. */
  'integrity.scrub': { readonly until?: string };
  /** Scans files of finalized packages for viruses. The rows of `package_scans` say which. */
  'viruses.scan': Record<string, never>;
  /** Looks whether the domains of single sign-on still have their TXT records. */
  'sso.check_domains': Record<string, never>;
  /** Writes down a wrong password, if the user exists. Runs after the response, so that the response reveals nothing. */
  'audit.sign_in_refused': {
    readonly email: string;
    readonly address: string;
    readonly user_agent: string;
    readonly at: string;
    readonly reason: 'password' | 'second_factor';
  };
}

export type JobName = keyof JobData;

/** Kinds that come in crowds, of which several are taken and recorded together (jobs/batches.ts). */
export const batchNames = ['webhooks.announce', 'webhooks.deliver', 'webhooks.deliver_now'] as const satisfies readonly JobName[];
export type BatchName = (typeof batchNames)[number];
/** All others: one job at a time. */
export type SingleName = Exclude<JobName, BatchName>;
/** Those of which many may wait at once, as after a night in which a thousand packages expired: one at a time as well. */
export const crowdNames = [
  'packages.free',
  'packages.finalize',
  'mail.announce',
  'mail.send',
  'accounts.password_reset',
  'quotas.count',
  'audit.sign_in_refused',
] as const satisfies readonly SingleName[];
export type CrowdName = (typeof crowdNames)[number];
/** Kinds whose jobs are taken by a statement of our own, which costs the same however many wait (jobs/take.ts). */
export type TakenName = BatchName | CrowdName;

/** How a kind of job is run. Times in seconds. */
interface JobKind {
  /** Retries after an attempt that threw, with backoff (`retryDelay`, doubled up to `retryDelayMax`). */
  readonly retryLimit: number;
  readonly retryDelay: number;
  readonly retryDelayMax: number;
  /** Timeout: an attempt that takes longer counts as failed, and its signal is aborted. */
  readonly expireInSeconds: number;
  /**
   * An attempt without a heartbeat for this long is considered dead, and is retried. Without it only
   * `expireInSeconds` applies.
   */
  readonly heartbeatSeconds?: number;
  /** Jobs under way at once in one process; of kinds that are taken together, how many are taken from the queue at once. */
  readonly localConcurrency: number;
  readonly takenAtOnce?: number;
  /** What has failed for good is kept for 30 days, so that an operator can have it done again. */
  readonly isKept: boolean;
  /** Schedule (cron, UTC). Each run is done by one process, however many there are. */
  readonly schedule?: string;
  /** How long a run that is over is remembered, for operators. */
  readonly deleteAfterSeconds: number;
}

const day = 24 * 3600;

/** Comes again by itself. */
const often: JobKind = {
  isKept: false,
  retryLimit: 0,
  retryDelay: 1,
  retryDelayMax: 1,
  expireInSeconds: 600,
  localConcurrency: 1,
  deleteAfterSeconds: day,
};
/** Once a day or so: the run before is still known when the service was off for some days. */
const daily: JobKind = { ...often, deleteAfterSeconds: 8 * day };
const patient: JobKind = {
  isKept: true,
  retryLimit: 50,
  retryDelay: 5,
  retryDelayMax: 3600,
  expireInSeconds: 3600,
  localConcurrency: 2,
  deleteAfterSeconds: day,
};

export const jobKinds: Readonly<Record<JobName, JobKind>> = {
  'packages.expire': { ...often, schedule: '* * * * *' },
  'packages.free': { ...patient, heartbeatSeconds: 60 },
  'packages.finalize': { ...patient, expireInSeconds: 120 },
  'objects.sweep': { ...often, schedule: '17 * * * *' },
  'forms.sweep': { ...often, schedule: '43 * * * *' },
  'webhooks.announce': { ...patient, expireInSeconds: 60, localConcurrency: 128, takenAtOnce: 64 },
  // A failed attempt adds the job of the next one itself; this retry is only for a crash in between.
  'webhooks.deliver': { ...patient, retryDelay: 60, expireInSeconds: 120, localConcurrency: 256, takenAtOnce: 64 },
  'webhooks.deliver_now': { ...patient, retryDelay: 60, expireInSeconds: 120, localConcurrency: 64, takenAtOnce: 16 },
  'webhooks.sweep': { ...daily, schedule: '23 3 * * *' },
  'mail.announce': { ...patient, expireInSeconds: 120 },
  'mail.send': { ...patient, retryDelay: 30, expireInSeconds: 120, localConcurrency: 4 },
  // This mail is of no use hours later.
  'accounts.password_reset': { ...patient, isKept: false, retryLimit: 8, expireInSeconds: 60 },
  'transfers.run': { ...often, expireInSeconds: 60, localConcurrency: 1 },
  'connections.sweep': { ...daily, schedule: '53 3 * * *' },
  // Asked for with each notice; the schedule is for packages that expire, and for what a crash left.
  'notices.tell': { ...often, schedule: '* * * * *' },
  'accounts.sweep': { ...often, schedule: '37 * * * *' },
  'audit.chain': { ...often, schedule: '* * * * *' },
  'audit.sweep': { ...daily, schedule: '11 4 * * *' },
  // Soon after midnight; asked for at each start too, for days on which the service did not run.
  'teams.storage_days': { ...daily, schedule: '1 0 * * *' },
  'quotas.count': { ...patient, expireInSeconds: 600 },
  'quotas.tell': { ...often, schedule: '* * * * *' },
  'quotas.check': { ...daily, schedule: '41 2 * * *' },
  // Its own time is over before (integrity/scrub.ts). Where a worker dies, or is stopped, another one goes on in the same night.
  'integrity.scrub': {
    ...daily,
    schedule: '7 1 * * *',
    expireInSeconds: 6 * 3600,
    heartbeatSeconds: 60,
    retryLimit: 3,
    retryDelay: 60,
    retryDelayMax: 600,
  },
  // Asked for with each package; the schedule is for what waits for another attempt, and for what a crash left.
  'viruses.scan': { ...often, schedule: '* * * * *', expireInSeconds: 3600 },
  'sso.check_domains': { ...daily, schedule: '29 */6 * * *' },
  'audit.sign_in_refused': { ...patient, retryLimit: 8, expireInSeconds: 60 },
};

export const jobNames = Object.keys(jobKinds) as readonly JobName[];

export const isBatchName = (name: JobName): name is BatchName => (batchNames as readonly JobName[]).includes(name);
export const isTakenName = (name: JobName): name is TakenName => isBatchName(name) || (crowdNames as readonly JobName[]).includes(name);

export const isJobName = (name: string): name is JobName => Object.hasOwn(jobKinds, name);

/** Kinds that come by a schedule, in the order of this table. */
export const scheduledKinds: readonly { readonly kind: JobName; readonly schedule: string }[] = jobNames.flatMap((kind) => {
  const { schedule } = jobKinds[kind];
  return schedule === undefined ? [] : [{ kind, schedule }];
});
