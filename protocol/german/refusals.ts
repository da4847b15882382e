import type { Sentence } from './sentence.ts';

/** Refusals that stand for themselves. */
export const refusals: readonly Sentence[] = [
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
  [/^a period has at most (\d+) days$/, 'ein Zeitraum hat höchstens $1 Tage'],
  [/^Ask for one year after the other$/, 'Fragen Sie ein Jahr nach dem anderen ab'],
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
    /^A package has at most (\d+) links\. Make another package for more$/,
    'Ein Paket hat höchstens $1 Links. Machen Sie für mehr ein weiteres Paket',
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
  [/^This package has expired$/, 'Dieses Paket ist abgelaufen'],
  [/^Its files can no longer be downloaded$/, 'Seine Dateien können nicht mehr heruntergeladen werden'],
  [/^Ask its sender to send them again$/, 'Bitten Sie den Absender, sie noch einmal zu senden'],
  [/^Ask its sender for a new one$/, 'Bitten Sie den Absender um einen neuen'],
  [/^Ask whoever gave you its address when it opens$/, 'Fragen Sie, wer Ihnen die Adresse gegeben hat, wann es öffnet'],
  [/^A suspended API key cannot be activated or deactivated$/, 'Ein ausgesetzter API-Schlüssel lässt sich weder ein- noch abschalten'],
  [/^It can once its Team is active again$/, 'Das geht wieder, wenn das Team entsperrt ist'],
  [/^This link has been used as often as its sender allowed$/, 'Dieser Link ist so oft benutzt worden, wie sein Absender erlaubt hat'],
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
  [/^This filter is used by the Portals? (.+) and (\d+) more$/, 'Dieser Filter wird benutzt: von $1 und $2 weiteren'],
  [/^This filter is used by the Portals? (.+)$/, 'Dieser Filter wird benutzt: von $1'],
  [/^Update (?:it|them) without its filter_id first$/, 'Nehmen Sie ihn dort zuerst heraus'],
  [/^This webhook is turned off$/, 'Dieser Webhook ist abgeschaltet'],
  [/^Turn it on first$/, 'Schalten Sie ihn zuerst ein'],
  [/^This was a test$/, 'Das war ein Test'],
  [/^Send another one$/, 'Senden Sie einen neuen'],
  [/^What was sent then is not kept any more$/, 'Was damals gesendet wurde, wird nicht mehr aufbewahrt'],
  [/^This is a test: nothing has failed$/, 'Das ist ein Test: Nichts ist gescheitert'],
  [
    /^Only the user who made this API key, or an owner of the Team, can change it$/,
    'Diesen API-Schlüssel kann nur ändern, wer ihn angelegt hat, oder ein Inhaber des Teams',
  ],
  [/^Only operators of this service may do that$/, 'Das dürfen nur Betreiber dieses Dienstes'],
  [/^A company's sign-in counts in its Team alone$/, 'Die Anmeldung über eine Firma gilt nur in deren Team'],
  [/^Sign in by your password to operate the service$/, 'Melden Sie sich mit Ihrem Passwort an, um den Dienst zu betreiben'],
  [/^This package is on hold, so nothing of it is deleted$/, 'Dieses Paket hat eine Löschsperre, darum wird nichts davon gelöscht'],
  [
    /^An owner or admin of its Team can lift the hold; then try again$/,
    'Ein Inhaber oder Admin des Teams kann die Sperre aufheben; versuchen Sie es dann noch einmal',
  ],
  [/^The files of this package have been deleted already$/, 'Die Dateien dieses Pakets sind schon gelöscht'],
  [/^Only an expired package can be archived$/, 'Nur ein abgelaufenes Paket lässt sich archivieren'],
  [
    /^Only an archived package can be taken out of the archive, and this one has not even expired$/,
    'Nur ein archiviertes Paket lässt sich aus dem Archiv holen, und dieses ist noch nicht einmal abgelaufen',
  ],
  [/^No authenticator app waits to be confirmed$/, 'Keine Authenticator-App wartet auf die Bestätigung'],
  [/^This choice has too many separate parts for one zip$/, 'Diese Auswahl hat zu viele einzelne Teile für eine Zip-Datei'],
  [/^Choose whole folders, or fewer files$/, 'Wählen Sie ganze Ordner oder weniger Dateien'],
  [/^Nothing is lost$/, 'Nichts ist verloren'],
  [
    /^Delete packages, or ask the Team's owners for more storage; then try again$/,
    'Löschen Sie Pakete, oder bitten Sie die Inhaber des Teams um mehr; dann versuchen Sie es noch einmal',
  ],
  [
    /^Ask the Team that receives here for more; then try again$/,
    'Bitten Sie das Team, das hier empfängt, um mehr; dann versuchen Sie es noch einmal',
  ],
  [
    /^It begins anew on the first of the month \(UTC\); the Team's owners can ask for more before$/,
    'Am Ersten des Monats (UTC) beginnt es neu; mehr können vorher die Inhaber des Teams erbitten',
  ],
  [/^Something went wrong on our side\. The log has it under (.+)$/, 'Bei uns ging etwas schief. Im Protokoll steht es unter $1'],
  // What the provider itself says stays as it says it.
  [/^Your company's sign-in has refused: (.+)$/, 'Die Anmeldung Ihrer Firma hat abgelehnt: $1'],
  [/^The company's sign-in did not work: (.+)$/, 'Die Anmeldung über die Firma ging nicht: $1'],
];
