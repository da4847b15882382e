import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/cloud-folder.ts';

export const de: SameShape<typeof en> = {
  path: 'Ordner',
  root: 'Anfang',
  empty: 'Hier liegt nichts.',
  open: (name) => `${name} öffnen`,
  cold: 'im Archivspeicher',
  more: 'Mehr zeigen',
};
