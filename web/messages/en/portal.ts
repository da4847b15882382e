import { en as form } from '#ui/form/messages/en.ts';
import type { SameShape } from '#ui/locale.ts';
import { en as common } from './common.ts';

/** Every message of the upload page. Other languages have the same entries (`Messages`). */
export const en = {
  ...common,
  pageTitle: (portal: string) => `Send files to ${portal}`,
  plainTitle: 'Send files',

  portalMessage: 'Message of this page',
  opening: 'Opening the page…',
  notLoaded: 'A part of this page could not be loaded. Check your connection and try again. If that does not help, reload the page.',
  missing: {
    title: 'There is no such page',
    text: 'The address may be mistyped, or the page was closed for good. Ask whoever gave it to you.',
  },
  inactive: { title: 'This page takes no files now', text: 'Its owner has switched it off. Ask them when it opens again.' },
  expired: {
    title: 'This page has closed',
    text: (day: string) => `It took files until ${day}. Ask its owner for a new one.`,
  },
  teamInactive: { title: 'This page takes no files now', text: 'The account behind it is inactive. Tell its owner.' },

  code: {
    title: 'This page has an access code',
    text: 'Whoever asked you for files will have told you.',
    label: 'Access code',
    show: 'Show the code',
    open: 'Open',
    opening: 'Opening…',
    wrong: 'This access code is wrong. Capitals and small letters differ.',
    tooMany: (time: string) => `Too many wrong codes. Try again in ${time}.`,
  },

  rules: {
    title: 'What this page takes',
    until: (day: string) => `Open until ${day}`,
  },

  choose: {
    title: 'Files',
    drop: 'Drop files and folders here',
    dropNow: 'Let go to add them',
    files: 'Choose files',
    folder: 'Choose a folder',
    reading: 'Looking through the folders…',
    unreadable: (files: string, first: string) => `${files} could not be read and will not be sent, such as ${first}.`,
    nothing: 'There was nothing to add.',
  },

  list: {
    label: 'Chosen files',
    sum: (files: string, size: string) => `${files}, ${size}`,
    remove: (name: string) => `Remove ${name}`,
    clear: 'Remove all',
    emptyFolder: 'Empty folder',
    removeFaulty: (files: string) => `Remove ${files} that cannot be sent`,
    faults: {
      type: 'This type is not taken here',
      too_large: 'Too large for this page',
      name: 'Not every system can hold this name. Rename it first',
      clash: 'Another one has the same name but for capitals',
    },
    faulty: (files: string) => `${files} cannot be sent. Remove what is marked.`,
    tooMany: (most: string, have: string) => `This page takes at most ${most}, and you have chosen ${have}.`,
    tooMuch: (most: string, have: string) => `This page takes at most ${most} in all, and you have chosen ${have}.`,
  },

  details: {
    title: 'About them',
    sender: 'Your e-mail address',
    senderHint: 'So that whoever gets the files knows whom they are from.',
    name: 'Name of the package',
    nameHint: 'What they will see first, such as “Dailies, day 12”.',
    namePattern: (example: string) => `Like ${example}`,
    description: 'Message',
  },
  form: { ...form, readonly: '(set by the page)' },
  invalid: {
    noFiles: 'Choose at least one file.',
    terms: 'Please agree to the terms first.',
    name: (example: string) => `This page takes names like ${example}.`,
    summary: 'Some of it is missing or wrong. It is marked.',
  },
  send: (files: string, size: string) => `Send ${files}, ${size}`,
  sendNothing: 'Send',
  starting: 'Starting…',

  handOver: {
    title: 'Very large, or a shaky line?',
    text: 'The Longshore app sends in the background and goes on by itself after a restart.',
    open: 'Open in the Longshore app',
    unanswered: (canGet: boolean) =>
      `No app has opened? Then Longshore is not on this computer yet: ${canGet ? 'get it' : 'ask whoever gave you this address for it'}, install it, and press the button again. Or send right here: this page goes on after a break, too.`,
    getApp: 'Get the app',
  },

  unfinished: {
    title: 'You have not finished sending',
    what: (name: string, files: string, size: string, day: string) => `“${name}”: ${files}, ${size}, begun ${day}`,
    goOn: 'Go on',
    discard: 'Discard',
    discardSure: 'Discard it for good?',
    keep: 'Keep it',
    elsewhere: 'It is being sent in another tab.',
  },

  sending: {
    title: (name: string) => `Sending “${name}”`,
    paused: (name: string) => `“${name}” is paused`,
    offline: 'No connection. It goes on by itself as soon as there is one.',
    serviceFull: {
      title: 'The storage is full.',
      text: 'It goes on by itself as soon as there is room. Tell whoever runs this page, and keep this tab open.',
    },
    stuck: (files: string) => `${files} did not get through. Everything else has.`,
    stuckText: 'Try them again, or finish without them.',
    waiting: (name: string) => `“${name}” is waiting for you`,
    missing: (files: string) => `To be chosen again: ${files}.`,
    missingText:
      'This browser does not keep files over a reload. Choose the same files or folders: what was sent already is not sent again.',
    changedText: 'They have changed, or are gone, since you chose them. Choose them as they are now, or leave them out.',
    closing: 'All is sent. Closing the package…',
    failed: 'It cannot go on',
    progress: (sent: string, total: string) => `${sent} of ${total}`,
    filesDone: (done: string, files: string) => `${done} of ${files}`,
    speed: (size: string) => `${size}/s`,
    left: (time: string) => `about ${time} left`,
    pause: 'Pause',
    goOn: 'Go on',
    retryAll: 'Try all again',
    retry: (name: string) => `Try again: ${name}`,
    retryShort: 'Try again',
    leaveOut: (name: string) => `Leave out ${name}`,
    leaveOutShort: 'Leave out',
    leaveOutAll: 'Finish without them',
    chooseAgain: 'Choose files again',
    chooseFolderAgain: 'Choose a folder again',
    noMatch: 'None of these are among the missing files.',
    stayOpen: 'Keep this tab open. If it closes all the same, open this page again: it goes on where it was.',
    notKept: {
      full: 'This browser has no room left to note what is sent. Keep this tab open: after a reload you would have to begin anew.',
      unavailable:
        'This browser keeps no notes here, as in a private window. Keep this tab open: after a reload you would have to begin anew.',
    },
    list: 'Files of this package',
    all: 'All',
    problems: 'With problems',
    states: { waiting: 'Waiting', sending: 'Sending', sent: 'Sent', failed: 'Failed', missing: 'Choose it again', left_out: 'Left out' },
  },

  faults: {
    unreachable: 'No connection',
    busy: 'The storage is busy',
    internal: 'The service has made a mistake',
    storage: 'The storage refuses it',
    full: 'The storage is full. Tell whoever runs this page',
    changed: 'It has changed since you chose it. Choose it again',
    gone: 'It is no longer where it was. Put it back, or choose it again',
    unreadable: 'The browser cannot read it. Choose it again',
    corrupted: 'It always arrives damaged. Try another network',
    damaging: (times: number) => `The line damages data (${times === 1 ? 'once' : `${times} times`}). It goes on by itself`,
    limit: 'This page does not take it',
    teamFull: 'The Team’s storage is full. Nothing is lost: ask its owners for room, then try again',
    portalFull: 'The storage of this Portal is full. Nothing is lost: ask the Team that receives here for room, then try again',
    trafficUsed: 'The Team has used up its traffic of this month. Nothing is lost: ask its owners, or try again next month',
    exists: 'Another one of this name is in the package',
    closed: 'This page takes no files any more',
    expired: 'The package has expired. Begin again',
    credential: 'This package cannot be sent to any more. Begin again',
    tooFast: 'The service asks for a pause',
    other: (message: string) => message,
  },

  receipt: {
    title: 'All sent',
    text: 'Everything has arrived and was checked. You can close this tab.',
    name: 'Package',
    reference: 'Reference',
    sender: 'From',
    to: 'To',
    contents: 'Contents',
    at: 'Sent',
    save: 'Save a receipt',
    print: 'Print',
    more: 'Send something else',
    skipped: (files: string) => `Left out: ${files}.`,
    list: 'What was sent',
    file: 'File',
    size: 'Bytes',
    digest: 'Digest',
  },
} as const;

/** The same entries in every language. */
export type Messages = SameShape<typeof en>;
