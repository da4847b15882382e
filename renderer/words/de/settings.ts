import type { Words } from '../shape.ts';

export const settings: Words['settings'] = {
  title: 'Einstellungen',
  look: {
    title: 'Aussehen und Sprache',
    appearance: 'Aussehen',
    system: 'Wie das System',
    light: 'Hell',
    dark: 'Dunkel',
    language: 'Sprache',
    systemLanguage: 'Wie Browser oder System',
  },
};
