import { codeHandlers } from './codes.ts';
import { downloadHandlers } from './downloads.ts';
import { mailHandlers } from './mail.ts';
import { manageHandlers } from './manage.ts';
import { openLink } from './open.ts';

/** Download links. */
export const linkHandlers = { ...manageHandlers, ...downloadHandlers, ...mailHandlers, ...codeHandlers, openLink };
