import type { SameShape } from '#ui/locale.ts';
import { en as common } from './common.ts';

/** Every message of the download page. Other languages have the same entries (`Messages`). */
export const en = {
  ...common,
  pageTitle: (name: string) => `Download ${name}`,
  plainTitle: 'Download',
  folders: (n: string, one: boolean) => `${n} ${one ? 'folder' : 'folders'}`,

  opening: 'Opening the link…',
  notLoaded: 'A part of this page could not be loaded. Check your connection and try again.',
  incomplete: {
    title: 'This link is not whole',
    text: 'Part of it is missing, as happens when an e-mail breaks a long line. Copy all of it and open it again.',
  },
  unknown: {
    title: 'This link does not work',
    text: 'It may be mistyped or cut short. Copy all of it and open it again, or ask its sender for a new one.',
  },
  expired: { title: 'This link has expired', text: 'Ask its sender for a new one.' },
  packageExpired: {
    title: 'The time of these files is over',
    text: 'They can no longer be downloaded. Ask their sender to send them again.',
  },
  deleted: {
    title: 'These files have been deleted',
    text: 'They were deleted before their time was over. Ask their sender to send them again.',
  },
  quarantined: {
    title: 'This package is in quarantine',
    text: 'A virus was found in it, so nothing of it can be downloaded. Tell its sender.',
  },
  disabled: { title: 'This link has been disabled', text: 'Its sender has turned it off. Ask them for a new one.' },
  usedUp: {
    title: 'This link has been used up',
    text: 'Its files were downloaded as often as its sender allowed. Ask them for a new one.',
  },
  unfinished: {
    title: 'Still on its way',
    text: 'The sender has not finished sending. The same link works as soon as they have.',
  },
  tooMany: { title: 'Too many tries', text: (time: string) => `Try again in ${time}.` },

  password: {
    title: 'This link has a password',
    text: 'Its sender will have told you.',
    label: 'Password',
    open: 'Open',
    opening: 'Opening…',
    wrong: 'This password is wrong. Capitals and small letters differ.',
    tooMany: (time: string) => `Too many wrong passwords. Try again in ${time}.`,
  },

  facts: {
    contents: (files: string, size: string) => `${files}, ${size}`,
    contentsInFolders: (files: string, folders: string, size: string) => `${files} in ${folders}, ${size}`,
    message: 'Message from the sender',
    from: (sender: string) => `from ${sender}`,
    until: (day: string) => `Available until ${day}`,
    empty: 'This package has no files in it, only folders.',
  },
  virus: {
    notice: (files: string) => `A virus was found in ${files}. Do not open what is marked, and tell the sender.`,
    leftOut: 'What is marked comes neither in a zip nor into a saved folder.',
    badge: 'Virus',
  },
  damaged: {
    notice: (files: string) => `The service's copy of ${files} is damaged. Ask the sender to send what is marked again.`,
    badge: 'Damaged',
  },

  get: {
    download: 'Download',
    starting: 'Starting…',
    zip: 'Download all as zip',
    zipFor: { zip_windows: 'for Windows and Linux', zip_mac: 'for macOS' },
    failed: (reason: string) => `The download did not start. ${reason}`,
  },

  tree: {
    label: 'Files',
    search: 'Search files and folders',
    found: (files: string) => `Found: ${files}`,
    none: 'Nothing is called that.',
    openAll: 'Open all folders',
    closeAll: 'Close all folders',
    emptyFolder: 'Empty folder',
    downloadFile: (path: string) => `Download ${path}`,
    downloadFolder: (path: string) => `Download ${path} as zip`,
    previewFile: (path: string) => `Look at ${path}`,
  },

  choice: {
    all: 'Choose all',
    allFound: 'Choose all that were found',
    chosen: (files: string, size: string) => `Chosen: ${files}, ${size}`,
    zip: 'Download choice as zip',
    clear: 'Choose nothing',
  },
  begun: {
    title: (name: string) => `Your download of “${name}” has begun`,
    text: 'Your browser shows how far it is. Nothing there? Look whether it asks where to save, or holds the download back, and start again.',
    again: 'Start again',
  },

  otherDownloads: {
    title: 'Other ways to get it',
    otherZip: (system: string) => `Zip ${system}`,
    otherZipText: 'The same files, with names as that system writes them.',
    app: 'Longshore app',
    appText: 'Downloads in the background, and goes on by itself after a restart.',
    openApp: 'Open in the app',
    unanswered: 'Nothing opened? Then the Longshore app is not on this computer. Every other way works without it.',
    getApp: 'Get the app',
    command: 'Command line',
    commandText: 'On a server or in a script:',
    link: 'This link',
    linkText: 'Whoever has it gets the files.',
    copy: 'Copy',
    copyCommand: 'Copy the command',
    copyLink: 'Copy the link',
    copied: 'Copied',
    notCopied: 'Press Ctrl+C or ⌘C to copy what is selected.',
  },

  preview: {
    loading: 'Loading…',
    close: 'Close',
    previous: 'Previous file',
    next: 'Next file',
    position: (position: string, all: string) => `${position} of ${all}`,
    cut: (size: string) => `This is its beginning, ${size}.`,
    cutMore: 'Download it to see all.',
    empty: 'This file is empty.',
    cannotShow: 'This browser cannot show this file.',
    cannotShowMore: 'Download it to look at it.',
    failed: (reason: string) => `It could not be loaded. ${reason}`,
    text: (name: string) => `Text of ${name}`,
    picture: (name: string) => `Picture ${name}`,
    document: (name: string) => `Document ${name}`,
  },

  save: {
    choose: 'Save into a folder…',
    chooseSome: 'Save choice into a folder…',
    hint: 'Saves every file with its folder, checks each byte, and goes on after a break.',
    unfinished: {
      title: 'You have not finished saving',
      what: (done: string, files: string, size: string) => `Saved: ${done} of ${files} (${size}).`,
    },
    goOn: 'Go on',
    forget: 'Leave it',
    elsewhere: 'It is being saved in another tab.',
    refused: 'The browser was not allowed to write into this folder. Choose it again, or another one.',
    cannotStart: (reason: string) => `Saving could not begin. ${reason}`,
    saving: (folder: string) => `Saving into “${folder}”`,
    paused: (folder: string) => `Saving into “${folder}” is paused`,
    offline: 'No connection. It goes on by itself as soon as there is one.',
    done: (folder: string) => `All saved in “${folder}”`,
    doneWithout: (folder: string) => `Saved in “${folder}”, but not all of it`,
    checked: 'Every byte was checked: the files are as they were sent.',
    checkedBut: (files: string) => `All that could be checked is as it was sent. ${files} came without a digest to compare with.`,
    progress: (done: string, total: string) => `${done} of ${total}`,
    filesDone: (done: string, files: string) => `${done} of ${files}`,
    speed: (size: string) => `${size}/s`,
    left: (time: string) => `about ${time} left`,
    pause: 'Pause',
    stayOpen: 'Keep this tab open. If it closes all the same, open this link again: it goes on where it was.',
    notKept: 'This browser keeps no notes here. Keep this tab open: after a reload you would have to choose the folder again.',
    stuck: (files: string) => `${files} could not be saved.`,
    retryAll: 'Try them again',
    renamed: (files: string) => `${files} had a name that was taken already, and got a number.`,
    close: 'Close',
    halted: {
      full: 'The disk is full. Make room on it, then go on.',
      refused: 'The browser may no longer write into this folder. Go on to allow it again.',
      gone: 'The folder is no longer there. Put it back, or choose another one.',
      credential: 'This link gives no more downloads. Ask its sender for a new one.',
      expired: 'The link has ended meanwhile. Ask its sender for a new one.',
    },
    faults: {
      damaged: 'It is damaged in the storage, and was not kept. Ask the sender to send it again',
      missing: 'It is no longer in the storage. Ask the sender to send it again',
      name: 'The browser does not write files of this name. Download it by itself, or in the zip',
      blocked: 'The browser held it back as dangerous',
      virus: 'A virus was found in it, so it was left out',
      unwritable: 'It could not be written. Close programs that have it open',
      other: (message: string) => message,
    },
  },
} as const;

/** The same entries in every language. */
export type Messages = SameShape<typeof en>;
