/** The console's sign-in. */
export const en = {
  title: 'Sign in',
  ended: 'You were signed out: this session was ended elsewhere, or its time is over. Sign in to go on where you were.',
  email: 'E-mail address',
  password: 'Password',
  signIn: 'Sign in',
  signingIn: 'One moment…',
  forgot: 'Forgot your password?',
  wrong: 'The e-mail address or the password is wrong.',
  missing: 'Enter your e-mail address and your password.',
} as const;
