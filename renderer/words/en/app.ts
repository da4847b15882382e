/** Words of the frame that every place stands in, and of what places share. */
const count = (n: string, one: boolean, single: string, many: string): string => `${n} ${one ? single : many}`;

export const app = {
  files: (n: string, one: boolean) => count(n, one, 'file', 'files'),
  tryAgain: 'Try again',
  tryNow: 'Try now',
  close: 'Close',
  cancel: 'Cancel',
  optional: '(optional)',
  loading: 'Loading…',

  places: {
    label: 'Places',
    transfers: 'Transfers',
    history: 'History',
    settings: 'Settings',
    about: 'About',
  },
  skip: 'Skip to the content',
  send: 'Send files',
  get: 'Get files',

  connecting: 'Connecting to the agent…',
  noAnswer: {
    title: 'The agent does not answer',
    starting: 'It may still be starting.',
    again: 'This page tries again by itself.',
  },
  offline: {
    title: 'Not connected to the agent.',
    text: 'What you see may be old. Transfers go on by themselves once it runs again.',
    again: 'Trying again…',
    shows: 'It shows here as soon as the agent answers.',
  },
  agent: {
    running: 'Agent running',
    away: 'Agent not connected',
    notices: (n: string, one: boolean) => count(n, one, 'notice', 'notices'),
  },
  faults: {
    offline: 'The agent does not answer. Check that it is still running on its machine.',
    status: (status: string) => `The agent answered with status ${status}.`,
  },
} as const;
