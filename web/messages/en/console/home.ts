/** The console's first view. */
export const en = {
  title: 'Home',
  latest: 'Newest packages',
  empty: 'Nothing was sent or received yet',
  emptyText: 'Packages that your Team sends, and what comes through its Portals, stand here.',
} as const;
