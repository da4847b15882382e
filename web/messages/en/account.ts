import type { SameShape } from '#ui/locale.ts';
import { en as common } from './common.ts';

/** Every message of the pages of invitations, forgotten passwords and new addresses. Other languages have the same entries (`Messages`). */
export const en = {
  ...common,
  loading: 'Looking at the invitation…',
  roles: {
    owner: 'Owner',
    admin: 'Admin',
    integration_manager: 'Integration manager',
    member: 'Member',
    guest: 'Guest',
  },
  fields: {
    email: 'E-mail address',
    name: 'Your name',
    password: 'Password',
    newPassword: 'New password',
    show: 'Show the password',
    atLeast: (count: string) => `At least ${count} characters. Four words are easy to keep.`,
    tooShort: (count: string) => `A password has at least ${count} characters.`,
    code: 'Code',
    codeHint: 'Of your authenticator app, or a recovery code: this account has a second factor.',
    nameMissing: 'Say what you are called.',
  },
  faults: {
    tooMany: (time: string) => `Too many tries. Try again in ${time}.`,
    unreachable: 'The service does not answer. Check your connection and try again.',
    wrongCode: 'This code is wrong, or was used already. Take the one that is shown now.',
    wrongPassword: 'This password is wrong.',
  },

  invitation: {
    title: (team: string) => `Join ${team}`,
    plainTitle: 'Invitation',
    text: (inviter: string, team: string) => `${inviter} invites you to the Team ${team}, which sends and receives files here.`,
    role: 'Role',
    until: 'Valid until',
    accountQuestion: 'Do you have an account here?',
    asNew: 'I am new here',
    known: 'I have an account',
    hasAccount: 'This address has an account already. Sign in with its password.',
    join: 'Join the Team',
    signInAndJoin: 'Sign in and join',
    joining: 'One moment…',
    forgot: 'Forgot your password?',
    joined: (team: string) => `You are in ${team}`,
    toConsole: 'Continue in the browser',
    joinedText: (service: string) =>
      `Sign in here or in the Longshore app with your e-mail address and password. The service is ${service}.`,
    wrong: {
      title: 'This invitation is not valid',
      text: 'It may have been revoked or sent anew, or a part of the address is missing. Open the newest message again, or ask whoever invited you.',
    },
    expired: { title: 'This invitation has expired', text: 'Ask whoever invited you to send it again.' },
    used: {
      title: 'This invitation was accepted already',
      text: 'Sign in to the app. If it was not you, tell an owner of the Team at once.',
    },
    inactive: { title: 'This Team is inactive', text: 'Nobody can join it now. Ask whoever invited you.' },
    another: {
      title: 'This invitation is for another address',
      text: 'Sign in as the person whose address was invited, or ask for an invitation to yours.',
    },
    given: {
      title: 'Choose a password of your own first',
      text: 'The password of your account was chosen by somebody else, who may know it still. Choose a new one, then open this invitation again.',
      act: 'Mail me a link to a new password',
    },
  },

  email: {
    loading: 'Looking at the confirmation…',
    title: 'Confirm your new e-mail address',
    text: 'From then on you sign in with this address, and mail about your account goes there. Everybody who is signed in to the account is signed out.',
    /** Where it is not known which. */
    textUnknown:
      'From then on you sign in with the address that the message went to, and mail about your account goes there. Everybody who is signed in to the account is signed out.',
    confirm: 'Confirm the address',
    confirming: 'One moment…',
    done: 'Your address is confirmed',
    doneText: 'Sign in with it from now on. The address before was told by mail.',
    wrong: {
      title: 'This confirmation is not valid',
      text: 'It may have been cancelled or sent anew, or a part of the address is missing. Look at your profile, and open the newest message.',
    },
    expired: { title: 'This confirmation has expired', text: 'It was good for a day. Change the address in your profile again.' },
    used: { title: 'This address was confirmed already', text: 'Sign in with it.' },
    taken: { title: 'Somebody else has this address by now', text: 'Your account keeps the address that it has.' },
  },

  unsubscribe: {
    loading: 'Looking at your messages…',
    title: 'No more messages about this package?',
    text: (name: string, email: string) => `${email} is then told nothing more of “${name}”.`,
    hint: 'Messages about other packages, and those with links for you, go on.',
    stop: 'Tell me no more',
    done: 'You are told no more of this package',
    doneText: (name: string, email: string) => `${email} gets no more messages about “${name}”.`,
    undo: 'Tell me again',
    wrong: { title: 'This address is not valid', text: 'A part of it may be missing. Open the message again.' },
  },

  password: {
    askTitle: 'Forgot your password?',
    askText: 'Give the e-mail address of your account. You get a message by which you choose a new password.',
    ask: 'Send the message',
    asking: 'One moment…',
    asked: 'Look into your mail',
    askedText: (email: string) => `If ${email} has an account here, a message is on its way. It is good for an hour and once.`,
    askedHint: 'Nothing there after some minutes? Look among unwanted mail, and whether it is the address of your account.',
    askAgain: 'Ask for a new message',
    title: 'Choose a new password',
    text: 'Everybody who is signed in to this account, on whatever device, is signed out.',
    save: 'Save the password',
    saving: 'One moment…',
    done: 'Your password is changed',
    toSignIn: 'Sign in',
    doneText: 'Sign in to the app with the new one.',
    wrong: {
      title: 'This link to a new password is not valid',
      text: 'It may have ended by another change of the password, or a part of the address is missing.',
    },
    expired: { title: 'This link to a new password has expired', text: 'It was good for an hour.' },
    used: {
      title: 'This link to a new password was used already',
      text: 'If it was not you, ask for a new message and choose another password at once.',
    },
  },
} as const;

export type Messages = SameShape<typeof en>;
