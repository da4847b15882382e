import { memberHandlers } from './members.ts';

/** Teams: who belongs to them. */
export const teamHandlers = { ...memberHandlers };
