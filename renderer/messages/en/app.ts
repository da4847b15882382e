/** Messages of the page frame, and those that several views share. */
const count = (n: string, one: boolean, single: string, many: string): string => `${n} ${one ? single : many}`;

export const app = {
  files: (n: string, one: boolean) => count(n, one, 'file', 'files'),
  aboutLongshore: 'About Longshore',
  tryAgain: 'Try again',
  tryNow: 'Try now',
  close: 'Close',
  cancel: 'Cancel',
  /** Before a form is thrown away that something was filled in to. */
  lose: { question: 'Throw away what you have filled in?', lose: 'Throw away', stay: 'Keep it open' },
  loading: 'Loading…',

  nav: {
    label: 'Places',
    transfers: 'Transfers',
    needs: 'Needs you',
    automations: 'Automations',
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
    retries: 'This page tries again by itself.',
  },
  offline: {
    title: 'Not connected to the agent.',
    text: 'What you see may be old. Transfers go on by themselves once it runs again.',
    retries: 'Trying again…',
    shows: 'It shows here as soon as the agent answers.',
  },
  agent: {
    running: 'Agent running',
    away: 'Agent not connected',
    notices: (n: string, one: boolean) => count(n, one, 'notice', 'notices'),
  },
  /** Of services, by their names. */
  unreachable: {
    title: (names: string, _one: boolean) => `${names} cannot be reached.`,
    waits: (n: string, one: boolean) =>
      `${count(n, one, 'transfer waits', 'transfers wait')} and will go on by ${one ? 'itself' : 'themselves'}.`,
    nothingWaits: 'No transfer waits for that.',
    since: (moment: string) => `Since ${moment}.`,
    next: (seconds: string) => `Next try in ${seconds} s`,
    now: 'Trying now…',
    short: 'Service not reachable',
  },
  faults: {
    offline: 'The agent does not answer. Check that it is still running on its machine.',
    status: (status: string) => `The agent answered with status ${status}.`,
  },
} as const;
