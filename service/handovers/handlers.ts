import { makeHandlers } from './make.ts';
import { takeHandlers } from './take.ts';

/** Transfers that begin in a browser and go on in the app. */
export const handoverHandlers = { ...makeHandlers, ...takeHandlers };
