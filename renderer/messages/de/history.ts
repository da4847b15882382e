import type { Messages } from '../shape.ts';

export const history: Messages['history'] = {
  title: 'Verlauf',
  search: 'Nach Namen suchen',
  kind: { label: 'Richtung', all: 'Gesendet und empfangen', upload: 'Gesendet', download: 'Empfangen' },
  how: { label: 'Wie es endete', all: 'Alle', done: 'Fertig', cancelled: 'Abgebrochen' },
  empty: { title: 'Noch nichts hier', text: 'Was gesendet und empfangen wurde, steht hier, sobald es vorbei ist.' },
  noneFound: 'Nichts im Verlauf hat das im Namen.',
  sent: (files, size) => `${files} gesendet, ${size}`,
  received: (files, size) => `${files} empfangen, ${size}`,
  cancelledUp: 'Das Senden wurde abgebrochen',
  cancelledDown: 'Das Empfangen wurde abgebrochen',
  toTeam: (name) => (name === '' ? '' : `an ${name}`),
  toPortal: (name) => `durch das Portal ${name}`,
  into: (folder) => `nach ${folder}`,
  copy: 'Link kopieren',
  reveal: 'Zeigen',
  revealOf: (name) => `Den Ordner von ${name} zeigen`,
  more: (n) => `Ältere zeigen (${n} weitere)`,
  loading: 'Der Verlauf wird geladen …',
  retention: (days, one) => `Der Verlauf reicht ${days} ${one ? 'Tag' : 'Tage'} zurück.`,
  change: 'Das ändern',
};
