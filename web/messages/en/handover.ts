/** Messages of the folder `web/sending/handover`, and of the download page's way into the app. */
export const en = {
  button: 'Continue in the app',
  hint: 'The Longshore app goes on in the background, also after a restart. Nothing that has arrived is sent again.',
  making: 'One moment: this page stops sending and notes how far each file is…',
  waiting: (name: string) => `“${name}” waits for the app`,
  text: 'Open the app and choose the folder there. This page does not send meanwhile.',
  open: 'Open in the Longshore app',
  paste: 'Or, for an app on another machine, paste this into it, or run the command:',
  command: 'Command for the app',
  copy: 'Copy the command',
  copied: 'Copied',
  secret: 'Good for 10 minutes and for one app. Whoever has it can go on in your place, so give it to nobody else.',
  back: 'Go on here instead',
  again: 'Make another link',
  ended: 'Nobody has taken over in time, and the link has ended.',
  failed: (why: string) => `It could not be handed over: ${why}.`,
  taken: (name: string) => `“${name}” goes on in the app`,
  takenText: 'You can close this page. It shows how far the app has come, and sends nothing any more.',
  progress: (files: string, total: string, size: string) => `${files} of ${total} have arrived, ${size} in all`,
  complete: (name: string) => `The app has sent “${name}”`,
  completeText: (files: string, size: string) => `${files}, ${size}.`,
  gone: 'The package is not there any more.',
  more: 'Send something else',
  elsewhere: 'The app has taken over this package. It goes on there, and not here.',
  unanswered: (canGet: boolean) =>
    `No app has opened? Then Longshore is not on this computer yet: ${canGet ? 'get it' : 'ask whoever gave you this address for it'}, or use the command below.`,
  getApp: 'Get the app',
} as const;

export type Messages = typeof en;
