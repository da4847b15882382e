/** The console's first view. */
export const en = {
  title: 'Home',
  empty: 'Nothing was sent or received yet',
  ownText: 'Your own packages stand here, those of your Teamspaces, and what comes through the Portals of all.',
  emptyText:
    'What your Team sends stands here, and what comes through its Portals. Send the first package from here, or with the Longshore app.',
  send: 'Send',
  sendFirst: 'Send the first package',
  toPackages: 'All packages',
  week: {
    title: 'This week',
    sent: 'Sent',
    received: 'Received',
    day: (day: string, sent: string, received: string) => `${day}: ${sent} sent, ${received} received`,
    amount: (packages: string, size: string, one: boolean) => `${packages} ${one ? 'package' : 'packages'}, ${size}`,
  },
  storage: {
    title: 'Storage',
    used: (packages: string, one: boolean) => `in ${packages} ${one ? 'package' : 'packages'} that can be downloaded`,
    quota: (used: string, limit: string) => `${used} of ${limit} are taken, with what is being sent`,
    traffic: (used: string, limit: string) => `${used} of ${limit} were sent this month (UTC)`,
    nearlyUsed:
      'Little is left of a limit of this Team. What passes it is refused: delete packages, or ask whoever runs this service for more.',
    noPrice: 'Say what a GiB costs you, and each day’s cost stands here.',
    setPrice: 'Set the price',
    costToday: (cost: string) => `${cost} a day as it is now`,
    costSum: (cost: string, days: string, one: boolean) => (one ? `${cost} in the last day` : `${cost} in the last ${days} days`),
    byDay: (most: string) => `By day, up to ${most}`,
    byDayLabel: 'Stored by day',
    day: (date: string, size: string) => `${date}: ${size}`,
    today: 'Today',
  },
  expiring: {
    title: 'Expires soon',
    none: 'Nothing expires within seven days.',
    more: (n: string) => `and ${n} more within seven days`,
  },
  transfers: {
    title: 'Transfers under way',
    way: {
      service_to_cloud: (name = 'connected storage') => `to ${name}`,
      cloud_to_service: (name = 'connected storage') => `from ${name}`,
    },
    pending: 'waiting',
    started: 'under way',
  },
  downloads: { title: 'Latest downloads', none: 'Nobody has downloaded anything yet.', somebody: 'Somebody with the link' },
} as const;
