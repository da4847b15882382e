/** The list of packages. */
export const en = {
  title: 'Packages',
  total: (n: string, one: boolean) => `${n} ${one ? 'package' : 'packages'}`,
  send: 'Send',
  list: 'Packages',
  shown: { label: 'Which packages', all: 'All', sent: 'Sent', received: 'Received', expired: 'Expired', archived: 'Archived' },
  search: 'Search by name',
  sort: {
    label: 'Order',
    '-created_at': 'Newest first',
    created_at: 'Oldest first',
    name: 'By name',
    '-size': 'Largest first',
    size: 'Smallest first',
    expiry: 'Expires next',
  },
  filter: {
    open: 'Filters',
    openSome: (n: string) => `Filters (${n})`,
    clear: 'Clear filters',
    any: 'Any',
    sender: 'Sender’s e-mail',
    portal: 'Portal',
    space: 'Teamspace',
    tag: 'Tag',
    min: 'At least (MB)',
    max: 'At most (MB)',
    from: 'Made from',
    to: 'Made until',
  },
  row: {
    select: (name: string) => `Select ${name}`,
    to: (names: string) => `to ${names}`,
    more: (n: string) => ` and ${n} more`,
    through: 'received',
    virus: 'Virus',
    held: 'On hold',
    expires: (when: string) => `expires ${when}`,
    never: 'never expires',
    ended: (when: string) => `ended ${when}`,
  },
  empty: {
    all: 'No packages yet',
    ownText: 'Your own packages stand here, those of your Teamspaces, and what comes through the Portals of all.',
    allText:
      'What your Team sends stands here, and what comes through its Portals. Send the first package from here, or with the Longshore app.',
    send: 'Send the first package',
    sent: 'No sent packages now',
    received: 'Nothing has come in',
    receivedText: 'Make a Portal, and give its address to people who send to you.',
    expired: 'Nothing has expired',
    archived: 'Nothing is archived',
    text: 'Packages appear here by themselves.',
    none: 'No package matches',
    noneText: 'Look for something else, or clear the filters.',
  },
  selected: (n: string, one: boolean) => `${n} ${one ? 'package' : 'packages'} selected`,
  selectAll: 'Select what is loaded',
  selectNone: 'Select none',
  act: { extend: 'Change expiry', tag: 'Tag', archive: 'Archive', unarchive: 'Take out of the archive', remove: 'Delete' },
  extend: {
    title: (one: boolean) => (one ? 'When shall it expire?' : 'When shall they expire?'),
    day: 'Kept until the end of',
    never: (one: boolean) => (one ? 'Never: keep it until it is deleted' : 'Never: keep them until they are deleted'),
    missing: 'Choose a day that is to come.',
  },
  tag: {
    title: (one: boolean) => (one ? 'Tag the package' : 'Tag packages'),
    tag: 'Tag',
    missing: 'Choose a tag.',
    none: 'There are no tags yet.',
  },
  archive: {
    title: (one: boolean) => (one ? 'Archive the package?' : 'Archive packages?'),
    text: (one: boolean) =>
      one
        ? 'It leaves the list of expired ones. It can be taken out again.'
        : 'They leave the list of expired ones. They can be taken out again.',
  },
  unarchive: {
    title: (one: boolean) => `Take ${one ? 'the package' : 'packages'} out of the archive?`,
    text: (one: boolean) => (one ? 'It stands among the expired ones again.' : 'They stand among the expired ones again.'),
  },
  remove: {
    title: (one: boolean) => (one ? 'Delete the package?' : 'Delete packages?'),
    text: (one: boolean) =>
      one
        ? 'Its files are deleted now, and nobody can download them any more. Its record stays. This cannot be undone.'
        : 'Their files are deleted now, and nobody can download them any more. Their records stay. This cannot be undone.',
  },
  bulk: {
    running: (done: string, all: string) => `${done} of ${all}`,
    stop: 'Stop',
    done: (n: string, one: boolean) => `Done for ${n} ${one ? 'package' : 'packages'}.`,
    left: (n: string, one: boolean) => `Stopped: ${n} ${one ? 'package was' : 'packages were'} not touched.`,
    failed: (n: string, one: boolean) => `It failed for ${n} ${one ? 'package' : 'packages'}:`,
  },
} as const;
