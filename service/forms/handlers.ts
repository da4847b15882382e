import { answeredHandlers } from './answered.ts';
import { formHandlers as manageHandlers } from './manage.ts';
import { responseHandlers } from './responses.ts';
import { templateHandlers } from './templates.ts';

/** Forms of Portals, their templates, and the answers of senders. */
export const formHandlers = { ...manageHandlers, ...templateHandlers, ...responseHandlers, ...answeredHandlers };
