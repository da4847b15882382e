/** Words of signing in and out. */
export const session = {
  signIn: 'Sign in',
  withoutAccount: 'Somebody sent you a link? You need no account to download.',
  noTeam: 'You are in no Team yet, so there is nowhere to send to. Ask a Team’s owner to add you.',
} as const;
