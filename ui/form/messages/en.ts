/** What a form of fields says. A page adds what only its own readers understand. */
export const en = {
  optional: '(optional)',
  choose: 'Choose…',
  problems: {
    required: 'This is needed.',
    email: 'This is not an e-mail address.',
    url: 'This is not a web address. It begins with https://.',
    number: 'This is not a number.',
    date: 'This is not a day.',
    tooLong: (most: string) => `At most ${most} characters.`,
  },
  restrictions: {
    types: (types: string) => `Only files of the types ${types}`,
    fileSize: (size: string) => `Files of at most ${size} each`,
    fileCount: (files: string) => `At most ${files}`,
    packageSize: (size: string) => `At most ${size} in all`,
  },
  terms: { title: 'Terms of service', agree: 'I agree', read: 'Read the terms', newTab: '(opens in a new tab)' },
} as const;
