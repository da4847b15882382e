import type { JobHandlers } from './jobs.ts';

/** Every kind of job's behaviour, merged from the resource folders. */
export const jobHandlers: JobHandlers = {
  'packages.expire': async () => undefined,
  'packages.free': async () => undefined,
  'objects.sweep': async () => undefined,
  'webhooks.announce': async () => undefined,
  'webhooks.deliver': async () => undefined,
  'mail.announce': async () => undefined,
  'mail.send': async () => undefined,
};
