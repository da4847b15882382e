import { type SsoRefusal, ssoRefusals } from '#protocol/sso-refusals.ts';

/** Signing in through a company, and what comes back from it. */
export const en = {
  title: 'Sign in with your company',
  text: 'For people whose company signs them in. Your e-mail address leads to its sign-in page.',
  email: 'E-mail address',
  missing: 'Enter your e-mail address at the company.',
  goOn: 'Go on',
  leading: 'One moment…',
  byPassword: 'Sign in with a password instead',
  finishing: 'Your company has answered. One moment…',
  failed: 'You are not signed in',
  again: 'Begin again',
  appTitle: 'Sign the Longshore app in',
  appText:
    'A Longshore app on this computer asks to be signed in for you through your company. Go on only if you have just begun that yourself.',
  appIncomplete: 'This address is incomplete. Begin again in the app.',
  backToApp: 'Done. The app goes on; you can close this window.',
  toApp: 'Back to the app',
  cancelApp: 'Cancel',
  theySay: 'Your company’s words:',
  /** By what OAuth calls it. */
  refusals: ssoRefusals as Readonly<Record<SsoRefusal, string>>,
  noneHere: 'There is no sign-in through a company for this address. Sign in with your password, or ask an owner of your Team.',
  /** By what the service says in English. */
  ends: {
    'This sign-in was begun in another browser, or more than ten minutes ago. Begin again.':
      'This sign-in was begun in another browser, or more than ten minutes ago. Begin again.',
    'This answer belongs to another sign-in. Begin again.': 'This answer belongs to another sign-in. Begin again.',
    'This sign-in has ended already. Begin again.': 'This sign-in has ended already. Begin again.',
    'The settings of this sign-in were changed meanwhile. Begin again.':
      'The settings of this sign-in were changed meanwhile. Begin again.',
    'Signing in through your company was turned off meanwhile.': 'Signing in through your company was turned off meanwhile.',
  } as Readonly<Record<string, string>>,
  trialTitle: 'The trial has come through',
  trialGood: 'This person would be signed in. Nothing was changed.',
  trialProblem: 'The provider has answered, but this person would not get in.',
  name: 'Name',
  verified: 'Address verified',
  yes: 'Yes',
  no: 'No',
  groups: 'Groups',
  role: 'Role of somebody new',
  subject: 'Known as (sub)',
  nothing: 'Nothing',
  backToSettings: 'Back to the settings',
} as const;
