import type { JobHandlersOf } from '../jobs/context.ts';
import { scanPackages } from './scan.ts';

export const virusJobs: JobHandlersOf<'viruses.scan'> = { 'viruses.scan': scanPackages };
