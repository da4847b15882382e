/** Messages of signing in and out. */
const count = (n: string, one: boolean, single: string, many: string): string => `${n} ${one ? single : many}`;

export const session = {
  signIn: 'Sign in',
  signingIn: 'Signing in…',
  signOut: 'Sign out',
  signingOut: 'Signing out…',
  signInAgain: 'Sign in again',
  forget: 'Remove',
  withoutAccount: 'Somebody sent you a link, or the address of a Portal? You need no account for either.',
  toPortal: 'Send to a Portal',
  noTeam: 'You are in no Team yet, so there is nowhere to send to. Ask a Team’s owner to add you.',

  by: { label: 'Sign in by', password: 'E-mail and password', key: 'API key' },
  email: 'E-mail',
  password: 'Password',
  key: 'API key',
  keyHint: 'It is kept in this machine’s keychain, or in the agent’s encrypted vault.',
  service: 'Service',
  serviceHint: 'Its address, as share.example.com.',
  serviceBad: 'This is not the address of a service. It begins with https://.',
  servicePlain: 'This address is not encrypted: whoever is on the way can read your password. Use it on your own network only.',
  otherService: 'Another service',
  to: (service: string) => `to ${service}`,
  wrong: 'The e-mail address or the password is wrong.',
  keyWrong: 'The service does not accept this key. It may be mistyped, switched off or deleted.',

  accounts: 'Accounts',
  account: (name: string) => `${name}, accounts`,
  others: (n: string, one: boolean) => count(n, one, 'more account', 'more accounts'),
  add: 'Add an account',
  teams: 'Teams',
  noTeams: 'In no Team yet',
  byKey: 'by an API key',
  unasked: 'Not reached yet',
  endedShort: 'Signed out by the service',
  signOutOf: (service: string) => `Sign out of ${service}`,
  signOutHint: 'Transfers under way go on. To send more, sign in again.',
  keeps: (days: string, one: boolean) => `keeps packages ${count(days, one, 'day', 'days')}`,
  ended: (who: string, service: string) =>
    `The session of ${who} at ${service} has ended. What waits for it goes on once you sign in again.`,
  addTitle: 'Add an account',
  signInAgainTitle: 'Sign in again',

  token: {
    title: 'This agent needs its token',
    text: 'It can be reached by others, so it asks every visitor for the token that was made at its first start.',
    label: 'Agent token',
    hint: 'On the agent’s machine “longshore open” opens this page without asking. Else it stands in the file api-token of the agent’s data folder; this tab keeps it until you close it.',
    rejected: 'The agent did not accept the token.',
    go: 'Continue',
  },
} as const;
