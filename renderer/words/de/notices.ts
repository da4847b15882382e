import type { Words } from '../shape.ts';

export const notices: Words['notices'] = {
  sent: 'Gesendet',
  received: 'Empfangen',
  sendFailed: 'Senden fehlgeschlagen',
  receiveFailed: 'Empfangen fehlgeschlagen',
};
