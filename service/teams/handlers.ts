import { memberSearchHandlers } from './member-search.ts';
import { memberHandlers } from './members.ts';
import { settingsHandlers } from './settings.ts';

/** Teams and their members. */
export const teamHandlers = { ...settingsHandlers, ...memberHandlers, ...memberSearchHandlers };
