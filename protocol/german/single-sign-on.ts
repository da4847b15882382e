import type { Sentence } from './sentence.ts';

/** Single sign-on: its settings, and what it refuses. */
export const singleSignOn: readonly Sentence[] = [
  [/^this is no address\. It begins with https:\/\/$/, 'das ist keine Adresse. Sie beginnt mit https://'],
  [/^the address has to begin with https:\/\/$/, 'die Adresse muss mit https:// beginnen'],
  [/^the address has neither a name and password, nor a \? or #$/, 'die Adresse hat weder Namen und Passwort noch ein ? oder #'],
  [/^the group (.+) is named twice$/, 'die Gruppe $1 steht doppelt da'],
  [/^name the claim that the groups are in$/, 'nennen Sie den Claim, in dem die Gruppen stehen'],
  [/^enable single sign-on first$/, 'schalten Sie Single Sign-on zuerst ein'],
  [/^(\S+) is in the list already$/, '$1 steht schon in der Liste'],
  [/^Save the provider first, then try it$/, 'Speichern Sie den Anbieter zuerst, und probieren Sie ihn dann aus'],
  [
    /^(\S+) has no such TXT record yet\. A new record can take up to a day until it is seen everywhere$/,
    '$1 hat diesen TXT-Eintrag noch nicht. Es kann einen Tag dauern, bis ein neuer überall zu sehen ist',
  ],
  [
    /^The name servers of (\S+) do not answer now\. Try again in some minutes$/,
    'Die Nameserver von $1 antworten gerade nicht. Versuchen Sie es in einigen Minuten noch einmal',
  ],
  [
    /^(\S+) is verified for another Team, whose TXT record is still there\. Remove that record first, then check again$/,
    '$1 ist für ein anderes Team bestätigt, dessen TXT-Eintrag noch da ist. Entfernen Sie zuerst diesen, und prüfen Sie dann erneut',
  ],
  [
    /^There is no sign-in through a company for this address\. Sign in with your password, or ask an owner of your Team$/,
    'Für diese Adresse gibt es keine Anmeldung über eine Firma. Melden Sie sich mit Ihrem Passwort an, oder fragen Sie einen Inhaber Ihres Teams',
  ],
  [
    /^This sign-in was begun in another browser, or more than ten minutes ago\. Begin again$/,
    'Diese Anmeldung begann in einem anderen Browser oder vor mehr als zehn Minuten. Beginnen Sie noch einmal',
  ],
  [/^This answer belongs to another sign-in\. Begin again$/, 'Diese Antwort gehört zu einer anderen Anmeldung. Beginnen Sie noch einmal'],
  [/^This sign-in has ended already\. Begin again$/, 'Diese Anmeldung ist schon zu Ende. Beginnen Sie noch einmal'],
  [
    /^The settings of this sign-in were changed meanwhile\. Begin again$/,
    'Die Einstellungen dieser Anmeldung wurden inzwischen geändert. Beginnen Sie noch einmal',
  ],
  [/^Signing in through your company was turned off meanwhile$/, 'Die Anmeldung über Ihre Firma wurde inzwischen abgeschaltet'],
  [
    /^This code is wrong, was used already, or came too late\. Begin the sign-in again$/,
    'Dieser Code ist falsch, schon benutzt oder zu spät. Beginnen Sie die Anmeldung noch einmal',
  ],
  [
    /^None of your groups has a role in this Team\. .+$/,
    'Keine Ihrer Gruppen hat eine Rolle in diesem Team. Fragen Sie, wer die Anmeldung Ihrer Firma verwaltet',
  ],
  [
    /^You are no member of this Team\. Ask one of its owners to invite you$/,
    'Sie sind kein Mitglied dieses Teams. Bitten Sie einen Inhaber um eine Einladung',
  ],
  [
    /^You were removed from this Team\. Ask one of its owners to invite you again$/,
    'Sie wurden aus diesem Team entfernt. Bitten Sie einen Inhaber um eine neue Einladung',
  ],
  [
    /^Your company's sign-in says no e-mail address of yours, .+$/,
    'Die Anmeldung Ihrer Firma nennt keine E-Mail-Adresse von Ihnen. Sie muss den Claim email senden',
  ],
  [
    /^Your company's sign-in does not say that (\S+) was verified\. .+$/,
    'Die Anmeldung Ihrer Firma sagt nicht, dass $1 bestätigt wurde. Sie muss den Claim email_verified senden',
  ],
  [
    /^(\S+) belongs to another account of your company's sign-in here\. An owner can remove that member first, and invite you$/,
    '$1 gehört hier zu einem anderen Konto der Anmeldung Ihrer Firma. Ein Inhaber kann dieses Mitglied entfernen und Sie einladen',
  ],
  [
    /^Addresses of (\S+) are not verified for this Team\. Ask one of its owners to add the domain$/,
    'Adressen von $1 sind für dieses Team nicht bestätigt. Bitten Sie einen Inhaber, die Domain hinzuzufügen',
  ],
  [
    /^nobody has signed in with this issuer, client and secret yet\. .+$/,
    'mit diesem Issuer, dieser Client-ID und diesem Client-Geheimnis hat sich noch niemand angemeldet. Probieren Sie die Anmeldung zuerst aus, damit niemand ausgesperrt wird',
  ],
  [
    /^no domain is verified yet, so the sign-in page would lead nobody to your provider$/,
    'noch ist keine Domain bestätigt, also würde die Anmeldeseite niemanden zu Ihrem Anbieter führen',
  ],
  [
    /^Members of the Team (.+) sign in through their company\. .+$/,
    'Mitglieder des Teams $1 melden sich über ihre Firma an. Wählen Sie auf der Anmeldeseite „Über die Firma anmelden“, und geben Sie dort Ihre E-Mail-Adresse ein',
  ],
  [
    /^The Team (.+) asks all its members for a second factor, .+$/,
    'Das Team $1 verlangt von allen Mitgliedern einen zweiten Faktor, und Sie haben noch keinen. Legen Sie einen im Profil unter Sicherheit an, dann geht alles weiter',
  ],
];
