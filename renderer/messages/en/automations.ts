/** Messages of the automations: their list, and one of them. */
export const automations = {
  title: 'Automations',
  add: 'New automation',
  gone: {
    title: 'This automation is not there any more',
    text: 'It was removed, here or elsewhere.',
    all: 'All automations',
  },
} as const;
