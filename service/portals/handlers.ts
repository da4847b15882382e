import { listHandlers } from './list.ts';
import { manageHandlers } from './manage.ts';
import { createPortalPackage } from './packages.ts';
import { readHandlers } from './read.ts';

/** Portals: upload pages, each with its own address. */
export const portalHandlers = { ...manageHandlers, ...readHandlers, ...listHandlers, createPortalPackage };
