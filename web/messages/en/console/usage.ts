/** What a Team sent and received. */
export const en = {
  title: 'Usage',
  text: 'What was sent and received. Without dates: the last 30 days.',
  team: 'Team',
  csv: 'Save as CSV',
  by: 'For each',
  groups: { member: 'Member', teamspace: 'Teamspace', portal: 'Portal' },
  from: 'From',
  to: 'To',
  sent: 'Sent',
  received: 'Received',
  bytes: 'Size',
  downloaded: 'Downloaded',
  notDownloaded: 'Not downloaded',
  none: 'None of these any more',
  empty: 'Nothing in this time',
  emptyText: 'Packages count from when they were sent in full.',
} as const;
