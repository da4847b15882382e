import type { JobHandlersOf } from '../jobs/jobs.ts';
import { announcePackage } from './announce.ts';
import { sendMessage } from './send.ts';

/** Mail: what a finalized package calls for, and each message's attempts. */
export const mailJobs: JobHandlersOf<'mail.announce' | 'mail.send'> = { 'mail.announce': announcePackage, 'mail.send': sendMessage };
