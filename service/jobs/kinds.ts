import type { WebhookPayload } from '#protocol/hosted/webhooks.ts';

/** Something that happened to a package, as it was at that moment: what webhooks are told. */
export interface PackageOccasion {
  readonly event_id: string;
  readonly event_time: string;
  readonly event_type: WebhookPayload['event_type'];
  readonly object: WebhookPayload['object'];
}

/** What each kind of job is given. Ids only, where the row can be read again; small always. */
export interface JobData {
  /** Expires the packages whose time has come. */
  'packages.expire': Record<string, never>;
  /** Deletes an expired package's bytes at the storage, and what is kept beside them. */
  'packages.free': { readonly package_id: string };
  /** Frees objects and uploads that no file has any more. */
  'objects.sweep': Record<string, never>;
  /** Deletes answers to forms that never got a package. */
  'forms.sweep': Record<string, never>;
  /** Finds the webhooks that hear of an occasion, and makes a delivery for each. */
  'webhooks.announce': PackageOccasion;
  /** One attempt at one delivery. */
  'webhooks.deliver': { readonly webhook_id: string; readonly attempt: number; readonly occasion: PackageOccasion };
  /** Lets go of old deliveries and deleted webhooks. */
  'webhooks.sweep': Record<string, never>;
  /** Makes the messages that a finalized package calls for. */
  'mail.announce': { readonly package_id: string };
  /** Sends one message. */
  'mail.send': { readonly message_id: string };
}

export type JobName = keyof JobData;

/** How a kind of job is run. Times in seconds. */
export interface JobKind {
  /** Further attempts after one that threw, each later than the one before (`retryDelay`, doubled up to `retryDelayMax`). */
  readonly retryLimit: number;
  readonly retryDelay: number;
  readonly retryDelayMax: number;
  /** An attempt that takes longer counts as failed, and its signal is aborted. */
  readonly expireInSeconds: number;
  /** An attempt whose process is not heard of for so long has died, and is made again. Without it only `expireInSeconds` tells. */
  readonly heartbeatSeconds?: number;
  /** How many run at once in one process. */
  readonly localConcurrency: number;
  /** Runs by itself at these minutes (cron, UTC), in one process at a time however many there are. */
  readonly schedule?: string;
}

const often: JobKind = { retryLimit: 0, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 600, localConcurrency: 1 };
const patient: JobKind = { retryLimit: 50, retryDelay: 5, retryDelayMax: 3600, expireInSeconds: 3600, localConcurrency: 2 };

export const jobKinds: Readonly<Record<JobName, JobKind>> = {
  'packages.expire': { ...often, schedule: '* * * * *' },
  'packages.free': { ...patient, heartbeatSeconds: 60 },
  'objects.sweep': { ...often, schedule: '17 * * * *' },
  'forms.sweep': { ...often, schedule: '43 * * * *' },
  'webhooks.announce': { ...patient, expireInSeconds: 60 },
  // An attempt that fails asks for the next one itself; only a crash in between leads here.
  'webhooks.deliver': { ...patient, retryDelay: 60, expireInSeconds: 120, localConcurrency: 8 },
  'webhooks.sweep': { ...often, schedule: '23 3 * * *' },
  'mail.announce': { ...patient, expireInSeconds: 120 },
  'mail.send': { ...patient, retryDelay: 30, expireInSeconds: 120, localConcurrency: 4 },
};

export const jobNames = Object.keys(jobKinds) as readonly JobName[];
