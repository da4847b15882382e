import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/home.ts';

export const de: SameShape<typeof en> = {
  title: 'Übersicht',
  latest: 'Neueste Pakete',
  empty: 'Noch wurde nichts gesendet oder empfangen',
  emptyText: 'Hier steht, was Ihr Team sendet, und was durch seine Portale kommt.',
};
