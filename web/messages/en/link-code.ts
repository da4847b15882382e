import type { SameShape } from '#ui/locale.ts';

/** The code that a link asks its recipient for. */
export const en = {
  title: 'These files are for one person',
  ask: 'The link was sent to an e-mail address. To see that it is yours, we mail a code to it.',
  mailIt: 'Mail me the code',
  mailing: 'Mailing it…',
  sent: (address: string) => `We mailed a code to ${address}. It is good for 10\u00a0minutes.`,
  sentBefore: 'A code was mailed a moment ago. Look into your mailbox: it is good for 10\u00a0minutes.',
  notThere: 'Nothing there? Look into the spam folder, or whether the address above is yours.',
  notThereBefore: 'Nothing there? Look into the spam folder.',
  label: 'Code',
  open: 'Open',
  opening: 'Opening…',
  again: 'Mail another code',
  againIn: (time: string) => `Mail another code in ${time}`,
  incomplete: 'The code has 8 digits.',
  wrong: 'This code is wrong. Only the one that was mailed last is good.',
  over: 'This code is no longer valid: it was used, is older than 10\u00a0minutes, or was guessed too often. Have another one mailed.',
  tooMany: (time: string) => `Too many codes were mailed. Another one can be mailed in ${time}.`,
  failed: (reason: string) => `The code could not be mailed. ${reason}`,
};

export type LinkCodeMessages = SameShape<typeof en>;
