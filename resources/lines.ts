/**
 * Line icons that the agent's page and the service's pages have in common, as paths on a grid of 20. Each room draws
 * them in the text's colour with a component of its own.
 */
export const lines = {
  send: 'M10 13V3.5M6 7.2 10 3.2l4 4M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2',
  get: 'M10 3v9.5M6 8.8l4 4 4-4M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2',
  check: 'm4.5 10.5 3.6 3.6 7.4-8',
  close: 'm5 5 10 10M15 5 5 15',
  warn: 'M10 3 18 16.5H2L10 3ZM10 8v4M10 14.2v.3',
  folder: 'M2.8 6.2c0-.9.6-1.5 1.5-1.5h3.4l1.7 1.9h6.3c.9 0 1.5.6 1.5 1.5v6c0 .9-.6 1.5-1.5 1.5H4.3c-.9 0-1.5-.6-1.5-1.5V6.2Z',
  file: 'M5 3.2h6.2L15 7v8.3c0 .9-.6 1.5-1.5 1.5h-7c-.9 0-1.5-.6-1.5-1.5V3.2ZM11 3.4V7h3.8',
  pause: 'M7 4.5v11M13 4.5v11',
  play: 'M6.5 4.2v11.6L15.5 10 6.5 4.2Z',
} as const;
