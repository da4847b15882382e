import type { TransferCause } from '#protocol/agent/remedy.ts';
import type { ShownError } from './shown-errors.ts';

/** What can go wrong, as the agent names it: an error of the catalogue, or of moving bytes. */
export type Cause = ShownError | TransferCause;
