import { memberHandlers } from './members.ts';

/** Teams and their members. */
export const teamHandlers = { ...memberHandlers };
