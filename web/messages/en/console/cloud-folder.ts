/** The folders of connected storage. */
export const en = {
  path: 'Folder',
  root: 'Beginning',
  empty: 'Nothing lies here.',
  open: (name: string) => `Open ${name}`,
  cold: 'in cold storage',
  more: 'Show more',
} as const;
