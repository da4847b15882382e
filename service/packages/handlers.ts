import { createTeamPackage } from './create.ts';
import { finalizePackage } from './finalize.ts';
import { listTeamPackages } from './list.ts';
import { getPackage } from './read.ts';

/** Packages: made, finalized, read and listed. */
export const packageHandlers = { createTeamPackage, finalizePackage, listTeamPackages, getPackage };
