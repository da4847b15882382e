import type { Messages } from '../shape.ts';

const count = (n: string, one: boolean, single: string, many: string): string => `${n} ${one ? single : many}`;

export const session: Messages['session'] = {
  signIn: 'Anmelden',
  signingIn: 'Anmeldung läuft …',
  signOut: 'Abmelden',
  signingOut: 'Abmeldung läuft …',
  signInAgain: 'Wieder anmelden',
  forget: 'Entfernen',
  withoutAccount: 'Jemand hat Ihnen einen Link oder die Adresse eines Portals geschickt? Für beides brauchen Sie kein Konto.',
  toPortal: 'An ein Portal senden',
  noTeam: 'Sie sind noch in keinem Team, also gibt es kein Ziel zum Senden. Bitten Sie die Leitung eines Teams, Sie aufzunehmen.',

  by: { label: 'Anmelden mit', password: 'E-Mail und Passwort', key: 'API-Schlüssel' },
  email: 'E-Mail',
  password: 'Passwort',
  key: 'API-Schlüssel',
  code: 'Code',
  codeHint: 'Aus Ihrer Authenticator-App, oder ein Wiederherstellungscode. Ein Passkey gilt nur auf der Seite des Dienstes.',
  codeWrong: 'Dieser Code stimmt nicht oder wurde schon benutzt. Nehmen Sie den, der jetzt angezeigt wird.',
  keyHint: 'Er wird im Schlüsselbund dieses Rechners oder im verschlüsselten Tresor des Agenten verwahrt.',
  service: 'Dienst',
  serviceHint: 'Seine Adresse, etwa share.example.com.',
  serviceBad: 'Das ist nicht die Adresse eines Dienstes. Sie beginnt mit https://.',
  servicePlain: 'Diese Adresse ist nicht verschlüsselt: Wer am Weg sitzt, kann Ihr Passwort lesen. Verwenden Sie sie nur im eigenen Netz.',
  otherService: 'Anderer Dienst',
  to: (service) => `bei ${service}`,
  wrong: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  keyWrong: 'Der Dienst nimmt diesen Schlüssel nicht an. Vielleicht ist er vertippt, abgeschaltet oder gelöscht.',

  accounts: 'Konten',
  account: (name) => `${name}, Konten`,
  others: (n, one) => count(n, one, 'weiteres Konto', 'weitere Konten'),
  add: 'Konto hinzufügen',
  teams: 'Teams',
  noTeams: 'Noch in keinem Team',
  byKey: 'mit einem API-Schlüssel',
  unasked: 'Noch nicht erreicht',
  endedShort: 'Vom Dienst abgemeldet',
  signOutOf: (service) => `Bei ${service} abmelden`,
  signOutHint: 'Laufende Übertragungen gehen weiter. Um mehr zu senden, melden Sie sich wieder an.',
  keeps: (days, one) => `behält Pakete ${count(days, one, 'Tag', 'Tage')}`,
  ended: (who, service) =>
    `Die Sitzung von ${who} bei ${service} ist beendet. Was darauf wartet, geht weiter, sobald Sie sich wieder anmelden.`,
  addTitle: 'Konto hinzufügen',
  signInAgainTitle: 'Wieder anmelden',

  token: {
    title: 'Dieser Agent braucht sein Token',
    text: 'Er ist auch für andere erreichbar und fragt deshalb jeden nach dem Token, das bei seinem ersten Start entstand.',
    label: 'Token des Agenten',
    hint: 'Am Rechner des Agenten öffnet „longshore open“ diese Seite, ohne zu fragen. Sonst steht es in der Datei api-token im Datenordner des Agenten; dieser Tab behält es, bis Sie ihn schließen.',
    rejected: 'Der Agent hat das Token nicht angenommen.',
    go: 'Weiter',
  },
};
