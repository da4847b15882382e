/** Words of the settings. */
export const settings = {
  title: 'Settings',
  look: {
    title: 'Appearance and language',
    appearance: 'Appearance',
    system: 'As the system',
    light: 'Light',
    dark: 'Dark',
    language: 'Language',
    systemLanguage: 'As the browser or system',
  },
} as const;
