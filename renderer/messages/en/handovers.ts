/** Messages of the folder `renderer/handovers`. */
export const handovers = {
  title: 'Go on sending here',
  titleDownload: 'Go on downloading here',
  looking: 'Asking the service what was begun…',
  upload: (files: string, size: string, sent: string) =>
    sent === ''
      ? `${files}, ${size}. Nothing that has arrived is sent again.`
      : `${files}, ${size}. Already sent: ${sent}. Of the others nothing that has arrived is sent again.`,
  download: 'The browser began to download this package. What it has saved is not known here, so all that was chosen is fetched.',
  chosen: (files: string) => `Chosen: ${files}.`,
  names: (names: string) => `In it: ${names}`,
  from: 'Where are these files?',
  fromHint: 'The folder that holds them, on the machine of this agent. Only what the browser was given is sent, and only unchanged.',
  toHint: 'On the machine of this agent.',
  matching: 'Looking for the files…',
  found: (files: string) => `Found as in the browser: ${files}.`,
  noneFound: 'None of these files is there as it was in the browser. Choose another folder.',
  others: (changed: string, missing: string) =>
    `Changed since: ${changed}. Not there: ${missing}. What is so is not sent; afterwards you can send it anew or finish without it.`,
  changed: 'changed',
  missing: 'not there',
  more: (count: string) => `and ${count} more`,
  begin: 'Go on here',
  beginning: 'Taking over…',
} as const;
