/** What both pages say. */
export const en = {
  chooseLanguage: 'Language',
  files: (n: string, one: boolean) => `${n} ${one ? 'file' : 'files'}`,
  tryAgain: 'Try again',
  unreachable: { title: 'The service does not answer', text: 'Check your connection and try again.' },
  wentWrong: { title: 'This did not work' },
} as const;
