import type { JobHandlersOf } from '../jobs/context.ts';
import { fanOutPackageMail } from './fan-out.ts';
import { sendMessage } from './send.ts';

/** Mail: creating the messages of a finalized package, and sending each one. */
export const mailJobs: JobHandlersOf<'mail.announce' | 'mail.send'> = { 'mail.announce': fanOutPackageMail, 'mail.send': sendMessage };
