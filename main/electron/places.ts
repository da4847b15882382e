import { openPlace } from '#protocol/deep-link.ts';

/** Places in the agent's page that the desktop leads to, as its address has them after the page's own. */
export const places = {
  transfers: '#/transfers',
  /** Open the form over the list, unless one is open that somebody fills in. */
  send: '#/send',
  get: '#/get',
  history: '#/history',
  settings: '#/settings',
  about: '#/about',
  transfer: (id: string): string => `#/transfers/${encodeURIComponent(id)}`,
  /** Shows what a deep link asks for, and asks the person. */
  open: openPlace,
} as const;
