import type { Words } from '../shape.ts';

export const session: Words['session'] = {
  signIn: 'Anmelden',
  withoutAccount: 'Jemand hat Ihnen einen Link geschickt? Zum Herunterladen brauchen Sie kein Konto.',
  noTeam: 'Sie sind noch in keinem Team, also gibt es kein Ziel zum Senden. Bitten Sie die Leitung eines Teams, Sie aufzunehmen.',
};
