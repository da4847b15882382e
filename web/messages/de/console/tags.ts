import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/tags.ts';

export const de: SameShape<typeof en> = {
  title: 'Schlagwörter',
  text: 'Wörter, die Pakete und Portale ordnen, und nach denen Listen gefiltert werden.',
  make: 'Neues Schlagwort',
  list: 'Schlagwörter',
  name: 'Name',
  noName: 'Geben Sie ihm einen Namen.',
  empty: 'Noch kein Schlagwort',
  emptyText: 'Legen Sie eines für eine Staffel, einen Kunden oder eine Art von Material an, und geben Sie es Paketen oder einem Portal.',
  since: (day) => `seit ${day}`,
  rename: 'Umbenennen',
  renameTitle: (name) => `${name} umbenennen`,
  renameHint: 'Seine Pakete und Portale behalten es, unter dem neuen Namen.',
  delete: 'Löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteText: 'Pakete und Portale, die es haben, bleiben, ohne es.',
  made: (name) => `${name} ist angelegt.`,
  deleted: (name) => `${name} ist gelöscht.`,
};
