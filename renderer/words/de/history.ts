import type { Words } from '../shape.ts';

export const history: Words['history'] = {
  title: 'Verlauf',
  empty: 'Noch ist nichts abgeschlossen. Was gesendet und empfangen wurde, steht dann hier.',
};
