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
  secondFactor: 'This account has a second factor. Enter a code of your authenticator app, or a recovery code, or use a passkey.',
  code: 'Code',
  codeWrong: 'This code is wrong, or was used already. Take the one that is shown now.',
  passkey: 'Sign in with a passkey',
  company: 'Sign in with your company',
  passkeyRefused: 'The passkey was not used, or belongs to no account here.',
  missing: 'Enter your e-mail address and your password.',
} as const;
