/** Why a mount is offline, as the agent says it, with the German translation. They come with the view of mounts, beside `phrases.ts`. */
export const mountPhrases: Readonly<Record<string, string>> = {
  'The folder is being looked at.': 'Der Ordner wird gerade geprüft.',
  'The folder {path} is not there. Connect its drive, or put the folder back.':
    'Der Ordner {path} ist nicht da. Verbinden Sie sein Laufwerk, oder legen Sie den Ordner zurück.',
  '{path} is not a folder any more.': '{path} ist kein Ordner mehr.',
  'The folder {path} has no file {marker}: its drive is probably not mounted. Mount it; if the folder was cleared on purpose, choose it anew for this mount.':
    'Im Ordner {path} fehlt die Datei {marker}: Sein Laufwerk ist wohl nicht eingehängt. Hängen Sie es ein; wurde der Ordner mit Absicht geleert, wählen Sie ihn für diesen Mount neu.',
  'The folder {path} belongs to another mount ({marker}). Another drive may be mounted there.':
    'Der Ordner {path} gehört zu einem anderen Mount ({marker}). Vielleicht ist dort ein anderes Laufwerk eingehängt.',
  'The folder {path} is empty: its drive is probably not mounted.': 'Der Ordner {path} ist leer: Sein Laufwerk ist wohl nicht eingehängt.',
  'The disk of {path} is full. Make room on it.': 'Der Datenträger von {path} ist voll. Schaffen Sie dort Platz.',
  'The disk of {path} is read-only. Mount it for writing, or set the mount to read-only.':
    'Der Datenträger von {path} ist nur lesbar. Hängen Sie ihn zum Schreiben ein, oder stellen Sie den Mount auf „nie schreiben“.',
  'The agent may not write to {path}. Give its user the right to, or set the mount to read-only.':
    'Der Agent darf nicht nach {path} schreiben. Geben Sie seinem Benutzer das Recht, oder stellen Sie den Mount auf „nie schreiben“.',
  "The agent's user has used up its share of the disk of {path}. Make room on it, or raise the quota.":
    'Der Benutzer des Agenten hat seinen Anteil am Datenträger von {path} verbraucht. Schaffen Sie Platz, oder erhöhen Sie das Kontingent.',
  'The drive of {path} is not connected any more. Connect it again.':
    'Das Laufwerk von {path} ist nicht mehr verbunden. Verbinden Sie es wieder.',
  'The drive of {path} was exchanged at its server. Mount it again.':
    'Das Laufwerk von {path} wurde an seinem Server ausgetauscht. Hängen Sie es neu ein.',
  'The server of {path} does not answer.': 'Der Server von {path} antwortet nicht.',
  'The folder {path} does not answer. Check its server and the network; it goes on by itself.':
    'Der Ordner {path} antwortet nicht. Prüfen Sie seinen Server und das Netz; es geht von selbst weiter.',
  'The process of this mount ends again and again. The log of the agent says more.':
    'Der Prozess dieses Mounts endet immer wieder. Im Protokoll des Agenten steht mehr.',
  'The process of this mount has ended; it is started again.': 'Der Prozess dieses Mounts hat geendet; er wird neu gestartet.',
  'This mount is read-only by its setting: files are collected from it, and none delivered.':
    'Dieser Mount wird laut Einstellung nie beschrieben: Aus ihm wird geholt, in ihn nichts geliefert.',
  'Other bytes were read than written. Check the disk.': 'Gelesen wurden andere Bytes als geschrieben. Prüfen Sie den Datenträger.',
  'The service does not know this gateway any more: {detail} Remove the mount, and add it again.':
    'Der Dienst kennt dieses Gateway nicht mehr. Entfernen Sie den Mount, und fügen Sie ihn neu hinzu.',
  'The service does not know this gateway any more. Remove its mounts, and add them again.':
    'Der Dienst kennt dieses Gateway nicht mehr. Entfernen Sie seine Mounts, und fügen Sie sie neu hinzu.',
  'This connection has a mount already. Remove it, or change its folder.':
    'Diese Verbindung hat schon einen Mount. Entfernen Sie ihn, oder ändern Sie seinen Ordner.',
};
