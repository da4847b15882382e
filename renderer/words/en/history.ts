/** Words of the place for what is over. */
export const history = {
  title: 'History',
  empty: 'Nothing has come to its end yet. What is sent and received will stand here.',
} as const;
