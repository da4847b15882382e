import type { Messages } from '../shape.ts';

export const notices: Messages['notices'] = {
  sent: 'Gesendet',
  received: 'Empfangen',
  sendFailed: 'Senden fehlgeschlagen',
  receiveFailed: 'Empfangen fehlgeschlagen',
};
