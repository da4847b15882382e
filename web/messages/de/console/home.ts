import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/home.ts';

export const de: SameShape<typeof en> = {
  title: 'Übersicht',
  empty: 'Noch wurde nichts gesendet oder empfangen',
  ownText: 'Hier stehen Ihre eigenen Pakete, die Ihrer Teamspaces, und was durch die Portale aller kommt.',
  emptyText:
    'Hier steht, was Ihr Team sendet, und was durch seine Portale kommt. Senden Sie das erste Paket von hier oder mit der Longshore-App.',
  send: 'Senden',
  sendFirst: 'Das erste Paket senden',
  toPackages: 'Alle Pakete',
  week: {
    title: 'Diese Woche',
    sent: 'Gesendet',
    received: 'Empfangen',
    day: (day, sent, received) => `${day}: ${sent} gesendet, ${received} empfangen`,
    amount: (packages, size, one) => `${packages} ${one ? 'Paket' : 'Pakete'}, ${size}`,
  },
  storage: {
    title: 'Speicher',
    used: (packages, one) => `in ${packages} ${one ? 'Paket, das' : 'Paketen, die'} man herunterladen kann`,
    quota: (used, limit) => `${used} von ${limit} sind belegt, mit dem, was gerade gesendet wird`,
    traffic: (used, limit) => `${used} von ${limit} wurden diesen Monat (UTC) gesendet`,
    nearlyUsed:
      'Von einer Grenze dieses Teams ist wenig übrig. Was darüber hinausgeht, wird abgelehnt: Löschen Sie Pakete, oder bitten Sie den Betreiber dieses Dienstes um mehr.',
    noPrice: 'Geben Sie an, was ein GiB Sie kostet, dann stehen hier die Kosten jedes Tages.',
    setPrice: 'Preis angeben',
    costToday: (cost) => `${cost} am Tag, so wie jetzt`,
    costSum: (cost, days, one) => (one ? `${cost} am letzten Tag` : `${cost} in den letzten ${days} Tagen`),
    byDay: (most) => `Nach Tagen, bis ${most}`,
    byDayLabel: 'Gespeichert nach Tagen',
    day: (date, size) => `${date}: ${size}`,
    today: 'Heute',
  },
  expiring: {
    title: 'Läuft bald ab',
    none: 'In den nächsten sieben Tagen läuft nichts ab.',
    more: (n) => `und ${n} weitere in sieben Tagen`,
  },
  transfers: {
    title: 'Laufende Übertragungen',
    way: {
      service_to_cloud: (name) => (name === undefined ? 'zu verbundenem Speicher' : `nach ${name}`),
      cloud_to_service: (name) => `aus ${name ?? 'verbundenem Speicher'}`,
    },
    pending: 'wartet',
    started: 'läuft',
  },
  downloads: { title: 'Letzte Downloads', none: 'Noch hat niemand etwas heruntergeladen.', somebody: 'Jemand mit dem Link' },
};
