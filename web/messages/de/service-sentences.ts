/**
 * The sentences of the service in German, by the form that they have in English: what it says of fields, and refusals whose
 * code alone says too little. A sentence that is not here is shown as the service says it. Each begins with a small letter
 * where it may follow the name of a field; `$1` is what stood in its place.
 */
export const germanSentences: readonly (readonly [RegExp, string])[] = [
  // What a value must be (protocol/schema-rules.ts, protocol/schema.ts).
  [/^(?:it )?must not be empty$/, 'darf nicht leer sein'],
  [/^must be of type (?:number|integer)$/, 'muss eine Zahl sein'],
  [/^must be of type .+$/, 'hat nicht die richtige Form'],
  [/^must be one of (.+)$/, 'muss eines von diesen sein: $1'],
  [/^must have at least (.+) characters$/, 'muss mindestens $1 Zeichen haben'],
  [/^must have at most (.+) characters$/, 'darf höchstens $1 Zeichen haben'],
  [/^must have at least (.+) entries$/, 'muss mindestens $1 Einträge haben'],
  [/^must have at most (.+) entries$/, 'darf höchstens $1 Einträge haben'],
  [/^must not have the same entry twice$/, 'darf keinen Eintrag doppelt haben'],
  [/^must be at least (.+)$/, 'muss mindestens $1 sein'],
  [/^must be at most (.+)$/, 'darf höchstens $1 sein'],
  [/^must be an e-mail address$/, 'muss eine E-Mail-Adresse sein'],
  [/^must be a date and time like .+$/, 'muss ein Zeitpunkt sein'],
  [/^must be a day like (.+)$/, 'muss ein Tag sein wie $1'],
  [/^must be an address like (.+)$/, 'muss eine Adresse sein wie $1'],
  [/^is missing$/, 'fehlt'],
  // Credentials of connections (protocol/authorization.ts).
  [/^.+ is needed$/, 'Das wird gebraucht'],
  [/^.+ must not be empty$/, 'darf nicht leer sein'],
  [/^.+ is longer than (\d+) characters$/, 'darf höchstens $1 Zeichen haben'],
  [/^.+ must be one line without control characters$/, 'muss eine Zeile ohne Steuerzeichen sein'],
  [
    /^.+ must be a host name or an address that begins with https:\/\/ or http:\/\/$/,
    'muss ein Hostname sein oder eine Adresse, die mit https:// oder http:// beginnt',
  ],
  [/^.+ must be an address that begins with https:\/\/ or http:\/\/$/, 'muss eine Adresse sein, die mit https:// oder http:// beginnt'],
  [/^.+ must be an e-mail address$/, 'muss eine E-Mail-Adresse sein'],
  [
    /^.+ must be the whole key in PEM, with its BEGIN and END lines$/,
    'muss der ganze Schlüssel in PEM sein, mit seinen Zeilen BEGIN und END',
  ],
  [/^.+ must be (\d+) to (\d+) letters, digits or characters of (\S+)$/, 'darf $1 bis $2 Buchstaben, Ziffern oder Zeichen aus $3 haben'],
  [/^.+ must be letters, digits and \. _ -$/, 'darf nur Buchstaben, Ziffern und . _ - enthalten'],
  [/^.+ must be an ARN of a role (\(.+\))$/, 'muss der ARN einer Rolle sein $1'],
  [/^.+ must be one of (.+)$/, 'muss eines von diesen sein: $1'],
  [
    /^must have something to see in it, and no character that turns the direction of text$/,
    'muss zu sehen sein und darf kein Zeichen haben, das die Schreibrichtung dreht',
  ],
  [
    /^must be a label of a host name: 3 to 53 of a-z, 0-9 and -, .+$/,
    'muss 3 bis 53 Zeichen haben: a bis z, 0 bis 9 und -, das weder am Anfang noch am Ende noch an dritter und vierter Stelle steht',
  ],
  [/^.+ must be (\S+)$/, 'muss $1 sein'],
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
  [/^it must be an http or https address, such as .+$/, 'das muss eine Adresse mit http oder https sein, oder leer'],
  [/^it is named twice$/, 'das steht doppelt da'],
  [
    /^the image is neither PNG, JPEG, WebP nor SVG, whatever its name says$/,
    'das Bild ist weder PNG noch JPEG, WebP oder SVG, wie es auch heißt',
  ],
  [/^an image has at most (\d+) bytes$/, 'ein Bild hat höchstens $1 Bytes'],
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
    /^A Team has at most (\d+) (?:members|connections|webhooks|filters|images|domains|storage gateways)\b.*$/,
    'mehr als $1 hat ein Team nicht',
  ],
  [/^Your role in this Team, \w+, is not allowed to .+$/, 'Ihre Rolle in diesem Team erlaubt das nicht'],
  // Webhooks.
  [/^this is not an address that begins with https:\/\/ or http:\/\/$/, 'das ist keine Adresse, die mit https:// oder http:// beginnt'],
  [/^put credentials in headers, not in the address$/, 'Zugangsdaten gehören in die Header und nicht in die Adresse'],
  [
    /^this address leads into a private network\. Only the operator of the service can allow that$/,
    'diese Adresse führt in ein privates Netz. Nur der Betreiber des Dienstes kann das erlauben',
  ],
  [
    /^(.+) is not a header's name\. Use letters, digits and "-"$/,
    '$1 ist kein Name eines Headers. Erlaubt sind Buchstaben, Ziffern und „-“',
  ],
  [/^(.+) is set by the service itself$/, '$1 setzt der Dienst selbst'],
  [/^(.+) stands there twice, in different case$/, '$1 steht doppelt da, nur anders geschrieben'],
  [/^the value of (.+) must be one line of ASCII text$/, 'der Wert von $1 muss eine Zeile ASCII-Text sein'],
  // Single sign-on: its settings, and what it refuses.
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
    'Für diese Adresse gibt es keine Anmeldung über ein Unternehmen. Melden Sie sich mit Ihrem Passwort an, oder fragen Sie einen Inhaber Ihres Teams',
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
  [/^Signing in through your company was turned off meanwhile$/, 'Die Anmeldung über Ihr Unternehmen wurde inzwischen abgeschaltet'],
  [
    /^This code is wrong, was used already, or came too late\. Begin the sign-in again$/,
    'Dieser Code ist falsch, schon benutzt oder zu spät. Beginnen Sie die Anmeldung noch einmal',
  ],
  [
    /^None of your groups has a role in this Team\. .+$/,
    'Keine Ihrer Gruppen hat eine Rolle in diesem Team. Fragen Sie, wer die Anmeldung Ihres Unternehmens verwaltet',
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
    'Die Anmeldung Ihres Unternehmens nennt keine E-Mail-Adresse von Ihnen. Sie muss den Claim email senden',
  ],
  [
    /^Your company's sign-in does not say that (\S+) was verified\. .+$/,
    'Die Anmeldung Ihres Unternehmens sagt nicht, dass $1 bestätigt wurde. Sie muss den Claim email_verified senden',
  ],
  [
    /^(\S+) belongs to another account of your company's sign-in here\. An owner can remove that member first, and invite you$/,
    '$1 gehört hier zu einem anderen Konto der Anmeldung Ihres Unternehmens. Ein Inhaber kann dieses Mitglied entfernen und Sie einladen',
  ],
  [
    /^Addresses of (\S+) are not verified for this Team\. Ask one of its owners to add the domain$/,
    'Adressen von $1 sind für dieses Team nicht bestätigt. Bitten Sie einen Inhaber, die Domain hinzuzufügen',
  ],
  [
    /^nobody has signed in with this issuer, client and secret yet\. .+$/,
    'mit diesem Aussteller, Client und Geheimnis hat sich noch niemand angemeldet. Probieren Sie die Anmeldung zuerst aus, damit niemand ausgesperrt wird',
  ],
  [
    /^no domain is verified yet, so the sign-in page would lead nobody to your provider$/,
    'noch ist keine Domain bestätigt, also würde die Anmeldeseite niemanden zu Ihrem Anbieter führen',
  ],
  [
    /^Members of the Team (.+) sign in through their company\. .+$/,
    'Mitglieder des Teams $1 melden sich über ihr Unternehmen an. Wählen Sie auf der Anmeldeseite „Mit Ihrem Unternehmen anmelden“, und geben Sie dort Ihre E-Mail-Adresse ein',
  ],
  [
    /^The Team (.+) asks all its members for a second factor, .+$/,
    'Das Team $1 verlangt von allen Mitgliedern einen zweiten Faktor, und Sie haben noch keinen. Legen Sie einen im Profil unter Sicherheit an, dann geht alles weiter',
  ],
  // What stands for itself.
  [
    /^a code needs somebody to be mailed to\. Give (?:recipients|an email)$/,
    'ein Code braucht jemanden, an den er geht. Nennen Sie Empfänger',
  ],
  [
    /^this Team has (\d+) tags already\. Delete one that is no longer needed$/,
    'dieses Team hat schon $1 Schlagwörter. Löschen Sie eines, das nicht mehr gebraucht wird',
  ],
  [/^A Teamspace has at most (\d+) members$/, 'Ein Teamspace hat höchstens $1 Mitglieder'],
  [/^A user has at most (\d+) passkeys$/, 'Mehr als $1 Passkeys hat niemand'],
  [/^This passkey is in use already$/, 'Dieser Passkey ist schon eingetragen'],
  [
    /^Recovery codes stand in for a second factor\. Add an authenticator app or a passkey first$/,
    'Wiederherstellungscodes stehen für einen zweiten Faktor. Legen Sie zuerst eine Authenticator-App oder einen Passkey an',
  ],
  [/^Another user has this e-mail address$/, 'Diese E-Mail-Adresse gehört schon jemand anderem'],
  [
    /^(?:The Team|The Portal|The form|Single sign-on) was changed meanwhile\. Read it again$/,
    'das wurde inzwischen geändert. Laden Sie es neu',
  ],
  [
    /^this moment has passed already\. To end a package now, delete it$/,
    'dieser Zeitpunkt ist schon vorbei. Um ein Paket jetzt zu beenden, löschen Sie es',
  ],
  [/^it lies before (?:from|expiry_start)$/, 'das liegt vor dem Anfang'],
  [
    /^this is the Teamspace to be deleted\. Name another one of the Team$/,
    'das ist der Teamspace, der gelöscht wird. Nennen Sie einen anderen',
  ],
  [
    /^This link is for nobody in particular, so there is nobody to mail it to$/,
    'Dieser Link ist für niemand Bestimmten, also gibt es niemanden, an den er gehen könnte',
  ],
  [
    /^The package is not finalized yet\. Its links are mailed when it is$/,
    'Das Paket ist noch nicht fertig. Seine Links werden gesendet, wenn es so weit ist',
  ],
  [/^This package is not (?:finalized|complete) yet$/, 'Dieses Paket ist noch nicht fertig'],
  [
    /^This package is not finalized yet\. Finalize it, then transfer it$/,
    'Dieses Paket ist noch nicht fertig. Schließen Sie es ab, dann lässt es sich übertragen',
  ],
  [
    /^A package has at most (\d+) transfers\. Retry one that failed or was cancelled$/,
    'Ein Paket hat höchstens $1 Übertragungen. Wiederholen Sie eine, die scheiterte oder abgebrochen wurde',
  ],
  [/^This Portal takes at most (\d+) files in a package$/, 'Dieses Portal nimmt höchstens $1 Dateien in einem Paket'],
  [/^this Portal takes names such as (.+)$/, 'dieses Portal nimmt Namen wie $1'],
  [/^This Portal has a form already\. Change that one$/, 'Dieses Portal hat schon ein Formular. Ändern Sie dieses'],
  [
    /^You are a member of other Teams, too\. Sign in by your password to change your profile$/,
    'Sie sind auch in anderen Teams. Melden Sie sich mit Ihrem Passwort an, um Ihr Profil zu ändern',
  ],
  [
    /^This service asks its operators for a second factor, and you have none yet\. .+$/,
    'Dieser Dienst verlangt von seinen Betreibern einen zweiten Faktor, und Sie haben noch keinen. Legen Sie einen im Profil unter Sicherheit an',
  ],
  // Checks of connections: what every cloud may say.
  [/^Not tried, since a step before failed$/, 'Nicht versucht, da ein Schritt davor scheiterte'],
  [
    /^There is no file to read in the first entries of its folders, so reading could not be tried$/,
    'In den ersten Einträgen der Ordner ist keine Datei, also ließ sich das Lesen nicht versuchen',
  ],
  [
    /^The storage gives back other bytes than it was given\. Ask its operator$/,
    'Der Speicher gibt andere Bytes zurück, als er bekam. Fragen Sie seinen Betreiber',
  ],
  [
    /^There is no bucket in this connection\. Enter its name as destination$/,
    'In dieser Verbindung fehlt der Bucket. Geben Sie seinen Namen als Ziel ein',
  ],
  [
    /^There is no bucket of this name in the account\. Make it, or correct the destination$/,
    'In dem Konto gibt es keinen Bucket dieses Namens. Legen Sie ihn an, oder berichtigen Sie das Ziel',
  ],
  [
    /^The application key lacks the capability (\S+)\. Make one that has it, and enter it$/,
    'Dem Application Key fehlt das Recht $1. Legen Sie einen an, der es hat, und geben Sie ihn ein',
  ],
  [
    /^(\S+) gave an answer that makes no sense\. It is tried again; if that goes on, tell the operator$/,
    '$1 hat etwas Unverständliches geantwortet. Es wird noch einmal versucht; bleibt es dabei, sagen Sie es dem Betreiber',
  ],
  [
    /^The clock of this service differs too much from (\S+)'s\. Set it by a time server$/,
    'Die Uhr dieses Dienstes weicht zu weit von der von $1 ab. Stellen Sie sie nach einem Zeitserver',
  ],
  [/^This package has expired and its files are deleted$/, 'Dieses Paket ist abgelaufen, und seine Dateien sind gelöscht'],
  [/^The files of this package were deleted before their time was over$/, 'Die Dateien dieses Pakets wurden vor der Zeit gelöscht'],
  [/^This link has been disabled$/, 'Dieser Link wurde beendet'],
  [/^This link has expired$/, 'Dieser Link ist abgelaufen'],
  [/^This Portal is not accepting uploads$/, 'Dieses Portal nimmt gerade nichts an'],
  [/^The storage does not answer: (.+)\. Try again soon$/, 'Der Speicher antwortet nicht: $1. Versuchen Sie es bald noch einmal'],
  [
    /^The service's storage is full\. Nothing is lost; .+$/,
    'Der Speicher des Dienstes ist voll. Nichts ist verloren; versuchen Sie es wieder, wenn der Betreiber Platz gemacht hat',
  ],
  [
    /^The Team's storage is full: it may hold (\d+) bytes, (\d+) are used, and (\d+) more were asked for$/,
    'Der Speicher des Teams ist voll: $2 von $1 Byte sind belegt, und $3 kämen dazu',
  ],
  [
    /^The Portal's storage is full: it may hold (\d+) bytes, (\d+) are used, and (\d+) more were asked for$/,
    'Der Speicher des Portals ist voll: $2 von $1 Byte sind belegt, und $3 kämen dazu',
  ],
  [
    /^The Team's traffic of this month is used up: (\d+) bytes may be sent, (\d+) are used, and (\d+) more were asked for$/,
    'Das Team hat sein Datenvolumen dieses Monats verbraucht: $2 von $1 Byte, und $3 kämen dazu',
  ],
  [/^Nothing is lost$/, 'Nichts ist verloren'],
  [
    /^Delete packages, or ask the Team's owners for more storage; then try again$/,
    'Löschen Sie Pakete, oder bitten Sie die Besitzer des Teams um mehr; dann versuchen Sie es noch einmal',
  ],
  [
    /^Ask the Team that receives here for more; then try again$/,
    'Bitten Sie das Team, das hier empfängt, um mehr; dann versuchen Sie es noch einmal',
  ],
  [
    /^It begins anew on the first of the month \(UTC\); the Team's owners can ask for more before$/,
    'Am Ersten des Monats (UTC) beginnt es neu; mehr können vorher die Besitzer des Teams erbitten',
  ],
  [/^Something went wrong on our side\. The log has it under (.+)$/, 'Bei uns ging etwas schief. Im Protokoll steht es unter $1'],
  // What the provider itself says stays as it says it.
  [/^Your company's sign-in has refused: (.+)$/, 'Die Anmeldung Ihres Unternehmens hat abgelehnt: $1'],
  [/^The company's sign-in did not work: (.+)$/, 'Die Anmeldung des Unternehmens ging nicht: $1'],
];
