/** Messages of the folder `renderer/open`. */
export const open = {
  download: {
    title: 'Get these files?',
    lead: 'A page in your browser, or another program, asks Longshore to get the files behind a link. Nothing has been fetched yet.',
    next: (host: string) => `If you go on, you choose the folder, and this agent asks ${host} for the files.`,
  },
  upload: {
    title: 'Send files through this Portal?',
    lead: 'A page in your browser, or another program, asks Longshore to send files through a Portal. Nothing has been sent yet.',
    next: (host: string) =>
      `If you go on, you choose the files, and can change all of the above. They go to the people behind this Portal at ${host}.`,
  },
  handover: {
    title: 'Go on here with what a browser began?',
    lead: 'A page in your browser, or another program, asks Longshore to go on with a transfer. Nothing has been taken over yet.',
    next: (host: string) => `If you go on, this agent asks ${host} what was begun, and you choose the folder.`,
  },
  service: 'Service',
  link: 'Link',
  portal: 'Portal',
  name: 'Package',
  sender: 'From',
  description: 'Message',
  unknown: (host: string) => `So far this agent does not work with ${host}. Go on only if you expected this and know that address.`,
  looking: 'Looking whether this agent knows the service…',
  goOn: 'Go on',
  refuse: 'Not now',
  bad: {
    title: 'Longshore cannot open this address',
    lead: 'Nothing was done. If you need what it was for, ask whoever gave it to you.',
    too_long: 'It is far longer than such an address can be.',
    not_an_address: 'It does not begin as an address for Longshore does.',
    unknown_request: 'It asks for something that this version does not know. A newer one may.',
    unknown_field: (name: string) => `It says something that this version does not know: “${name}”. A newer one may.`,
    missing_field: (name: string) => `It does not say what it should: “${name}” is missing.`,
    bad_field: (name: string) =>
      `What it gives as “${name}” cannot be used. Services are reached by https only, and by http on this machine alone.`,
    close: 'Close',
  },
} as const;
