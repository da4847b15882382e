import type { Sentence } from './sentence.ts';

/** Portals and their forms, filters, the Team's settings, webhooks. */
export const settings: readonly Sentence[] = [
  // Portals and their forms.
  [/^it has a brace without its counterpart$/, 'eine Klammer hat kein Gegenstück'],
  [/^it has too many placeholders$/, 'es sind zu viele Platzhalter'],
  [/^it has (\{.*\}), which is none of (.+) and (\S+)$/, '$1 ist keiner von $2 und $3'],
  [/^it is not of the pattern itself$/, 'das passt selbst nicht zum Muster'],
  [/^choose one, or set \w+ to false$/, 'wählen Sie eines, oder schalten Sie es ab'],
  [/^say when, or set \w+ to false$/, 'sagen Sie, wann, oder schalten Sie es ab'],
  [/^name at least one, or set \w+ to false$/, 'nennen Sie mindestens einen, oder schalten Sie es ab'],
  [/^(\S+) is taken by another Portal\. Choose another$/, '$1 gehört schon zu einem anderen Portal. Wählen Sie eine andere'],
  [
    /^it is no label of a host name: .+$/,
    'das ist kein Teil eines Hostnamens: Beginn und Ende sind ein Buchstabe oder eine Ziffer, und an dritter und vierter Stelle steht nicht --',
  ],
  [/^another field is called (.+) already$/, 'ein anderes Feld heißt schon $1'],
  [/^a field cannot be called (.+)$/, 'ein Feld kann nicht $1 heißen'],
  [/^a form has at most one field of the type .+$/, 'ein Formular hat davon höchstens eines'],
  [/^it is none of the options$/, 'das ist keine der Möglichkeiten'],
  [/^a field of the type .+ needs at least one$/, 'es braucht mindestens eine'],
  [/^an option is empty$/, 'eine Möglichkeit ist leer'],
  [/^an option is named twice$/, 'eine Möglichkeit steht doppelt da'],
  [
    /^all of them together have at most (\d+) bytes\. Shorten their options$/,
    'alle zusammen haben höchstens $1 Byte. Kürzen Sie ihre Möglichkeiten',
  ],
  [
    /^(.*)all answers together have at most (\d+) bytes\. Shorten this one$/,
    '$1alle Antworten zusammen haben höchstens $2 Byte. Kürzen Sie diese',
  ],
  [/^it must be an http or https address, such as .+$/, 'das muss eine Adresse mit http oder https sein, oder leer'],
  [/^it is named twice$/, 'das steht doppelt da'],
  // Filters.
  [/^another rule has .+ too; put its values in one rule$/, 'eine andere Regel prüft dasselbe. Schreiben Sie die Werte in eine Regel'],
  [/^(rules\S+) must not be empty$/, '$1 darf nicht leer sein'],
  // The Team's settings and policies.
  [
    /^these Portals mail links without a password: (.+)\. Give them a download password first$/,
    'diese Portale senden Links ohne Passwort: $1. Geben Sie ihnen zuerst ein Passwort zum Herunterladen',
  ],
  [
    /^these Portals have recipients of other domains: (.+)\. Change their recipients first$/,
    'diese Portale haben Empfänger mit anderen Domains: $1. Ändern Sie zuerst deren Empfänger',
  ],
  [/^it is longer than max_expiry_days, (\d+) days?$/, 'das ist länger als die längste Zeit, $1 Tage'],
  [/^give at least a day, or -1 to keep packages for ever$/, 'mindestens ein Tag, oder für immer'],
  [/^give at least 30 days, or 0 to keep the audit log for ever$/, 'mindestens 30 Tage, oder für immer'],
  [/^(.+) is no domain, such as (.+)$/, '$1 ist keine Domain wie $2'],
  [/^this Team sends only to addresses of (.+), and not to (.+)$/, 'dieses Team sendet nur an Adressen von $1 und nicht an $2'],
  [/^this Team sends nothing without a password\. Choose one$/, 'dieses Team sendet nichts ohne Passwort. Wählen Sie eines'],
  [/^this Team makes no public links\. Say whom the link is for$/, 'dieses Team macht keine öffentlichen Links. Sagen Sie, für wen er ist'],
  [
    /^this Team asks every recipient for a mailed code\. Leave it out$/,
    'dieses Team fragt alle Empfänger nach einem gemailten Code. Das lässt sich nicht abwählen',
  ],
  [/^this Team sends to at most (\d+) addresses at once$/, 'dieses Team sendet an höchstens $1 Adressen auf einmal'],
  [/^this Team keeps packages at most (\d+) days?$/, 'dieses Team behält Pakete höchstens $1 Tage'],
  [
    /^you have no second factor yourself, so you would keep yourself out\. Add one in your profile first$/,
    'Sie haben selbst keinen zweiten Faktor und würden sich aussperren. Legen Sie zuerst einen im Profil an',
  ],
  [/^this moment has passed already$/, 'dieser Zeitpunkt ist schon vorbei'],
  [/^this Team has a tag (.+) already$/, 'dieses Team hat schon ein Schlagwort $1'],
  [/^(\S+) is a member of this Team already$/, '$1 ist schon Mitglied dieses Teams'],
  [
    /^(\S+) is invited already\. That invitation can be sent again, or revoked$/,
    '$1 ist schon eingeladen. Die Einladung lässt sich noch einmal senden oder zurückziehen',
  ],
  [
    /^this is the only owner of the Team\. Make somebody else an owner first$/,
    'das ist der einzige Inhaber des Teams. Machen Sie zuerst jemand anderen zum Inhaber',
  ],
  [
    /^A Team has at most (\d+) (?:members|connections|webhooks|filters|images|domains|storage gateways|API keys)\b.*$/,
    'mehr als $1 hat ein Team nicht',
  ],
  [/^Your role in this Team, \w+, is not allowed to .+$/, 'Ihre Rolle in diesem Team erlaubt das nicht'],
  // Webhooks.
  [/^this is not an address that begins with https:\/\/ or http:\/\/$/, 'das ist keine Adresse, die mit https:// oder http:// beginnt'],
  [/^put credentials in headers, not in the address$/, 'Zugangsdaten gehören in die Header und nicht in die Adresse'],
  [
    /^this address leads into a private network\. Whoever operates the service can allow that by --allow-private-webhooks$/,
    'diese Adresse führt in ein privates Netz. Wer den Dienst betreibt, kann das mit --allow-private-webhooks erlauben',
  ],
  [
    /^(.+) is not a header's name\. Use letters, digits and "-"$/,
    '$1 ist kein Name eines Headers. Erlaubt sind Buchstaben, Ziffern und „-“',
  ],
  [/^(.+) is set by the service itself$/, '$1 setzt der Dienst selbst'],
  [/^(.+) stands there twice, in different case$/, '$1 steht doppelt da, nur anders geschrieben'],
  [/^the value of (.+) must be one line of ASCII text$/, 'der Wert von $1 muss eine Zeile ASCII-Text sein'],
];
