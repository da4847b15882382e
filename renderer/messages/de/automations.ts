import type { Messages } from '../shape.ts';

export const automations: Messages['automations'] = {
  title: 'Automationen',
  add: 'Neue Automation',
  gone: {
    title: 'Diese Automation gibt es nicht mehr',
    text: 'Sie wurde entfernt, hier oder anderswo.',
    all: 'Alle Automationen',
  },
};
