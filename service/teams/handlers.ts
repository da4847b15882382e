import { mailPreviewHandlers } from './mail-preview.ts';
import { memberSearchHandlers } from './member-search.ts';
import { memberHandlers } from './members.ts';
import { settingsHandlers } from './settings.ts';
import { usageHandlers } from './usage.ts';

/** Teams and their members. */
export const teamHandlers = { ...settingsHandlers, ...usageHandlers, ...mailPreviewHandlers, ...memberHandlers, ...memberSearchHandlers };
