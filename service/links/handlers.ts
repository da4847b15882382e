import { manageHandlers } from './manage.ts';
import { openLink } from './open.ts';

/** Download links. */
export const linkHandlers = { ...manageHandlers, openLink };
