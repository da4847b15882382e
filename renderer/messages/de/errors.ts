import type { ShownError } from '../shown-errors.ts';

export const errors: Readonly<Record<ShownError, string>> = {
  invalid_request: 'Das nimmt der Agent so nicht an: {detail}',
  body_too_large: 'Das ist auf einmal zu viel: mehr als {limit:size}. Teilen Sie es auf.',
  no_such_endpoint: 'Diese Seite und der Agent sind verschieden alt. Laden Sie die Seite neu.',
  foreign_origin: 'Anfragen von {origin} werden hier nicht angenommen.',
  foreign_user:
    'Dieser Agent gehört einem anderen Benutzer dieses Rechners und antwortet nur dessen Programmen. Starten Sie einen eigenen, oder bitten Sie darum, dass er mit --require-token gestartet wird, und um ein Token.',
  request_stalled: 'Eine Anfrage ist auf dem Weg stehen geblieben: {seconds:number} s lang kam zu wenig an. Versuchen Sie es noch einmal.',
  unknown_host: 'Der Agent hört nicht auf den Namen {host}. Öffnen Sie seine Seite als localhost oder 127.0.0.1.',

  credential_missing: 'Der Dienst verlangt eine Anmeldung. Melden Sie sich an, und versuchen Sie es noch einmal.',
  credential_invalid: 'Der Dienst nimmt diese Anmeldung oder diesen Schlüssel nicht mehr an. Melden Sie sich neu an.',
  wrong_password: 'Die E-Mail-Adresse oder das Passwort stimmt nicht.',
  mfa_required: 'Dieses Konto verlangt neben dem Passwort einen zweiten Nachweis. Es hat: {methods}.',
  mfa_wrong: 'Der zweite Nachweis stimmt nicht, wurde schon benutzt oder kam zu spät. Nehmen Sie den Code, der jetzt angezeigt wird.',
  sso_required:
    'Mitglieder des Teams {team} melden sich über ihre Firma an. Wählen Sie auf der Anmeldeseite des Dienstes „Über die Firma anmelden“ und geben Sie dort Ihre E-Mail-Adresse ein.',
  sso_refused: 'Die Anmeldung über die Firma ist abgelehnt: {detail}',
  sso_provider_failed: 'Die Anmeldung der Firma hat nicht geklappt: {detail}',
  mfa_enrolment_required:
    'Das Team {team} verlangt von allen Mitgliedern einen zweiten Faktor, und Sie haben noch keinen. Richten Sie einen in Ihrem Profil unter Sicherheit ein, dann geht alles weiter.',
  key_suspended: 'Dieser API-Schlüssel ist ausgesetzt, weil sein Team gesperrt ist. Fragen Sie einen Inhaber des Teams.',
  team_inactive: 'Dieses Team ist gesperrt. Fragen Sie einen Inhaber.',
  not_allowed: 'Das ist Ihnen nicht erlaubt: {detail}',
  link_password_wrong: 'Dieser Link ist durch ein Passwort geschützt, und das angegebene fehlt oder stimmt nicht.',
  link_code_required: 'Dieser Link verlangt einen Code, der an {recipient} gesendet wird. Fordern Sie ihn an und geben Sie ihn ein.',
  link_code_wrong: 'Der Code stimmt nicht. Es gilt nur der zuletzt gesendete.',
  link_code_over:
    'Dieser Code gilt nicht mehr: Er gilt {minutes:number} Minuten, für {guesses:number} Versuche und einmal. Fordern Sie einen neuen an.',
  access_code_wrong: 'Der Zugangscode fehlt oder stimmt nicht.',

  not_found: 'Das gibt es nicht mehr, oder Sie dürfen es nicht sehen.',
  link_expired: 'Dieser Link ist abgelaufen. Bitten Sie den Absender um einen neuen.',
  package_expired:
    'Dieses Paket ist abgelaufen. Seine Dateien können nicht mehr heruntergeladen werden. Bitten Sie den Absender, sie noch einmal zu senden.',
  scanner_unavailable:
    'Der Virenscanner antwortet nicht: {detail} Dateien warten darauf, geprüft zu werden; der Betreiber muss nach clamd und nach --clamd-url sehen.',
  file_infected: 'In dieser Datei wurde ein Virus gefunden, und ihr Team lässt niemanden sie herunterladen. Sagen Sie es dem Absender.',
  package_quarantined:
    'In diesem Paket wurde ein Virus gefunden. Sein Team hält es in Quarantäne: Nichts davon kann heruntergeladen werden. Sagen Sie es dem Absender.',
  package_deleted: 'Die Dateien dieses Pakets wurden gelöscht, bevor ihre Zeit um war. Bitten Sie den Absender, sie noch einmal zu senden.',
  state_conflict: 'So, wie es gerade steht, geht das nicht: {detail}',
  already_exists: 'Das gibt es schon: {detail}',
  chunk_wrong: 'Teil {chunk} einer Datei ist nicht richtig angekommen: {detail}',
  link_inactive: 'Dieser Link wurde beendet. Bitten Sie den Absender um einen neuen.',
  link_used_up: 'Dieser Link ist so oft benutzt worden, wie sein Absender erlaubt hat. Bitten Sie ihn um einen neuen.',
  package_differs:
    'Das Paket enthält {files:number} Dateien mit {bytes:size}, der Absender erwartet {expected}. Es bleibt offen: Senden Sie, was fehlt, und schließen Sie es noch einmal ab.',
  portal_closed: 'Dieses Portal nimmt gerade keine Dateien an. Fragen Sie, wann es wieder öffnet.',
  form_response_incomplete: 'Das Feld {field} muss ausgefüllt sein.',
  digest_wrong: 'Die Prüfsumme {stated} ist angegeben, angekommen ist {known}. Vergleichen Sie die Datei, und senden Sie sie noch einmal.',

  session_is_nil: 'Sie sind nicht angemeldet. Melden Sie sich an, und versuchen Sie es noch einmal.',
  session_expired: 'Die Anmeldung ist abgelaufen. Melden Sie sich neu an.',
  service_unreachable: 'Der Dienst unter {url} ist nicht zu erreichen ({detail}). Prüfen Sie die Adresse und das Netz.',
  service_refused: 'Der Dienst hat mit {status} geantwortet: {detail}',
  agent_token_required: 'Der Agent verlangt sein Token.',

  storage_full: 'Der Datenträger bei {path} ist voll: Es fehlen {missing:size}. Schaffen Sie Platz, dann geht es von selbst weiter.',
  storage_read_only: 'Auf den Datenträger bei {path} lässt sich nicht schreiben. Prüfen Sie seine Rechte und wie er eingehängt ist.',
  zip_damaged:
    'Von {file} ist die Kopie im Speicher beschädigt, deshalb wäre dieses Zip nicht vollständig. Nehmen Sie andere Dateien, und bitten Sie den Absender, sie noch einmal zu senden.',
  file_damaged: 'Diese Datei ist im Speicher beschädigt. Bitten Sie ihren Absender, sie noch einmal zu senden.',
  storage_unavailable: 'Der Speicher antwortet nicht ({detail}). Versuchen Sie es bald noch einmal.',
  service_storage_full:
    'Der Speicher des Dienstes ist voll. Nichts ist verloren; versuchen Sie es wieder, wenn sein Betreiber Platz geschaffen hat.',
  storage_refused:
    'Der Speicher des Dienstes verweigert die Arbeit ({detail}). Nichts ist verloren; versuchen Sie es wieder, wenn sein Betreiber das behoben hat.',
  service_database_full:
    'Die Platte der Datenbank des Dienstes ist voll. Nichts ist verloren; versuchen Sie es wieder, wenn sein Betreiber Platz geschaffen hat.',
  storage_damaged:
    'Im Speicher des Dienstes fehlen {count:number} Dateien oder sind beschädigt. Sein Betreiber findet sie mit `longshore admin check --deep`.',
  certificate_ends: 'Das Zertifikat des Dienstes gilt nur noch bis zum {date}. Ein neues in seinen Dateien wird von selbst gelesen.',
  certificate_unusable: 'Das neue Zertifikat des Dienstes ist nicht brauchbar ({detail}). Das bisherige gilt weiter.',

  rate_limited: 'Das waren zu viele Anfragen. Versuchen Sie es in {seconds:number} s noch einmal.',
  over_limit: 'Das geht über eine Grenze: {detail}',
  team_storage_full:
    'Der Speicher des Teams ist voll: {used:size} von {limit:size} sind belegt, und {asked:size} kämen dazu. Nichts ist verloren. Löschen Sie Pakete, oder bitten Sie die Inhaber des Teams um mehr; dann geht es von selbst weiter.',
  portal_storage_full:
    'Der Speicher des Portals ist voll: {used:size} von {limit:size} sind belegt, und {asked:size} kämen dazu. Nichts ist verloren. Bitten Sie das Team, das hier empfängt, um mehr.',
  team_traffic_used:
    'Das Team hat sein Datenvolumen dieses Monats verbraucht: {used:size} von {limit:size}, und {asked:size} kämen dazu. Nichts ist verloren. Am Ersten des Monats (UTC) beginnt es neu; mehr können vorher die Inhaber des Teams erbitten.',

  internal: 'Beim Dienst oder Agenten ist etwas schiefgegangen. In seinem Protokoll steht es unter {id}.',
  unavailable: 'Der Dienst startet oder endet gerade. Versuchen Sie es bald noch einmal.',

  path_not_found: 'Unter {path} gibt es keine Datei und keinen Ordner.',
  path_not_absolute: 'Der Pfad {path} ist nicht vollständig. Geben Sie ihn ganz an.',
  path_unreadable: '{path} lässt sich nicht lesen: {detail}',
  transfer_conflict: 'Das geht mit dieser Übertragung gerade nicht: {detail}',
  link_malformed: 'Das ist kein Download-Link: {detail}',
  name_refused: '{path} kann nicht gesendet werden: {detail}',
  name_unsafe: 'Das Paket nennt eine Datei „{path}“, die nicht geschrieben wurde: {detail}',
  files_failed: '{count:number} von {total:number} Dateien sind nicht durchgekommen. Die erste: {detail}',
  move_failed: 'Die Daten einer Datei kamen nicht durch: {detail}',
  agent_disk_full: 'Der Datenträger mit dem Datenordner des Agenten ist voll. Schaffen Sie Platz, dann geht es von selbst weiter.',
  hidden_names:
    '{folder} ist der Benutzerordner. Was dort mit einem Punkt beginnt, nehmen Programme als ihre Einstellungen, und das Paket würde solches hineinlegen: {names}. Wählen Sie einen anderen Ordner oder einen neuen für das Paket.',
  agent_state_unwritable:
    'Die Statusdatei des Agenten lässt sich nicht schreiben: {detail}. Prüfen Sie den Datenträger mit seinem Datenordner; es geht von selbst weiter.',
  agent_fault: 'Beim Agenten selbst ist etwas schiefgegangen ({detail}). Sein Protokoll sagt mehr.',
  nothing_to_send: 'In {path} ist nichts, was gesendet werden kann.',
  package_unusable: 'Der Dienst hat das Paket so aufgelistet, dass sich damit nichts anfangen lässt: {detail}',
  receipt_invalid: 'Auf die Quittung ist kein Verlass: {detail}',
  receipt_differs: 'Die Dateien sind nicht so, wie die signierte Quittung des Pakets sie nennt: {detail}',
  left_out: '{path} wurde ausgelassen: {detail}',
  drop_no_room:
    'Der Datenträger mit dem Datenordner des Agenten hat zu wenig Platz, um das vom Browser anzunehmen: Es fehlen {missing:size}. Schaffen Sie Platz, oder wählen Sie es über Durchsuchen, dabei wird nichts kopiert.',
  mount_unusable: '{path} kann kein Mount sein: {detail}',
  folders_overlap:
    '{folder} und {other} ({detail}) liegen ineinander: Was in den einen kommt, würde aus dem anderen immer wieder gesendet. Wählen Sie einen anderen Ordner.',
  path_outside:
    '{path} liegt in keinem der Ordner, die hier benutzt werden dürfen: {roots}. Wählen Sie einen anderen, oder erlauben Sie seinen Ordner in den Einstellungen.',
};
