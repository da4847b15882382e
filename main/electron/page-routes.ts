import { openPlace } from '#protocol/deep-link.ts';

/** Routes of the agent's page that the desktop opens, as the hash part of the page's address. */
export const pageRoutes = {
  transfers: '#/transfers',
  /** Opens the form above the list, unless a form with input is open already. */
  send: '#/send',
  get: '#/get',
  automations: '#/automations',
  history: '#/history',
  settings: '#/settings',
  about: '#/about',
  transfer: (id: string): string => `#/transfers/${encodeURIComponent(id)}`,
  /** Shows the content of a deep link and asks the person to confirm. */
  open: openPlace,
} as const;
