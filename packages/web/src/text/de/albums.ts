const files = (count: number) => (count === 1 ? '1 Datei' : `${count} Dateien`)

export const albums: typeof import('../en/albums.ts').albums = {
  title: 'Alben',
  intro:
    'Was Sie aufbewahren, liegt in Alben. Namen und Inhalte werden in diesem Browser versiegelt; der Server sieht weder das eine noch das andere.',
  loading: 'Ihre Alben werden geöffnet …',
  files,
  filesOf: (count, size) => `${count} · ${size}`,
  untitled: 'Album ohne Namen',
  nameFault: 'Name lässt sich nicht öffnen',
  none: {
    title: 'Noch kein Album',
    text: 'Legen Sie eines an und füllen Sie es: mit eigenen Dateien oder mit denen, die Ihnen geschickt wurden.',
  },
  create: {
    open: 'Neues Album',
    title: 'Neues Album',
    name: 'Name',
    hint: 'Nur Sie können ihn lesen.',
    nameMissing: 'Geben Sie dem Album einen Namen, damit Sie es wiederfinden.',
    submit: 'Album anlegen',
    done: 'Das Album ist angelegt.',
  },
  close: 'Schließen',
  cancel: 'Abbrechen',
  back: 'Alle Alben',
  gone: 'Dieses Album gibt es hier nicht. Vielleicht gehört es zu einem anderen Konto.',
  album: {
    empty: 'In diesem Album ist noch nichts',
    emptyText:
      'Ziehen Sie Dateien hierher oder wählen Sie sie aus. Sie werden in diesem Browser versiegelt, bevor sie ihn verlassen.',
    add: 'Dateien hinzufügen',
    drop: 'Loslassen, um sie in dieses Album zu legen',
    loading: 'Der Inhalt wird geholt …',
    all: (count) => `Alle ${count}`,
    unnamed: 'Ohne Namen',
    unfinished: 'Nicht fertig',
    unreadable: 'Lässt sich nicht öffnen',
    opening: 'Wird geöffnet …',
    select: (name) => `${name} auswählen`,
  },
  incomplete: {
    notice: (count) =>
      count === 1
        ? 'Eine Datei hier wurde nie fertig: Das Hochladen brach ab, bevor sie signiert war.'
        : `${count} Dateien hier wurden nie fertig: Das Hochladen brach ab, bevor sie signiert waren.`,
    explain:
      'Beim Fertigstellen werden die Namen versiegelt und die Dateien mit dem Schlüssel dieses Browsers signiert. Nichts wird noch einmal gesendet.',
    finish: 'Fertigstellen',
    finishing: 'Wird fertiggestellt …',
    done: (count) => (count === 1 ? 'Die Datei ist fertig.' : `${count} Dateien sind fertig.`),
    failed: (name, why) => `${name}: ${why}`,
  },
  selection: {
    region: 'Ausgewählte Dateien',
    count: (count) => (count === 1 ? '1 Datei ausgewählt' : `${count} Dateien ausgewählt`),
    clear: 'Auswahl aufheben',
    all: 'Alle',
    share: 'Teilen',
    download: 'Speichern',
    remove: 'Löschen',
  },
  uploads: {
    title: 'Hochladen',
    summary: (done, all) => `${done} von ${all} fertig`,
    allDone: (count) =>
      count === 1
        ? 'Die Datei ist versiegelt und aufbewahrt.'
        : `Alle ${count} Dateien sind versiegelt und aufbewahrt.`,
    phases: {
      waiting: 'Wartet, bis sie an der Reihe ist',
      preparing: 'Wird versiegelt',
      sending: 'Unterwegs',
      finishing: 'Wird bestätigt',
      paused: 'Angehalten',
      failed: 'Gestoppt',
      file_missing: 'Wählen Sie die Datei noch einmal, um fortzufahren',
      done: 'Aufbewahrt',
    },
    line: 'Die Verbindung ist schlecht. Es geht von selbst weiter.',
    missing: 'Es wurde begonnen, bevor diese Seite geladen war, und der Browser behält keinen Zugriff auf eine Datei.',
    otherFile: 'Das ist eine andere Datei: Ihre Größe weicht ab. Wählen Sie die, mit der Sie begonnen haben.',
    pause: (name) => `${name} anhalten`,
    resume: (name) => `Mit ${name} fortfahren`,
    retry: (name) => `${name} noch einmal versuchen`,
    cancel: (name) => `${name} abbrechen`,
    remove: (name) => `${name} aus der Liste nehmen`,
    choose: (name) => `${name} auswählen`,
    chooseShort: 'Datei auswählen',
    clear: 'Liste leeren',
    progress: (name) => `Fortschritt von ${name}`,
    leave:
      'Lassen Sie diesen Tab offen, bis alles hochgeladen ist. Nach einem Neuladen geht es dort weiter, wo es aufgehört hat.',
  },
  asset: {
    back: 'Zurück zum Album',
    loading: 'Wird geöffnet …',
    gone: 'Diese Datei ist nicht mehr hier. Sie wurde anderswo gelöscht.',
    show: 'Hier ansehen',
    showHint: 'Von einer Datei wird nichts geöffnet, bevor Sie es wünschen.',
    hide: 'Ausblenden',
    download: 'Speichern',
    downloading: 'Wird gespeichert …',
    stop: 'Anhalten',
    share: 'Teilen',
    remove: 'Löschen',
    facts: 'Über diese Datei',
    size: 'Größe',
    kept: 'Aufbewahrt seit',
    modified: 'Zuletzt geändert',
    type: 'Art',
    note: 'Notiz',
    sender: 'Gesendet von',
    senderHint: 'so nannte sich, wer sie schickte',
    arrived: 'Kam über einen Link',
    signedBy: 'Signiert von',
    device: (id, since) => `Gerät ${id}, hinzugefügt am ${since}`,
    deviceUnknown: (id) => `Gerät ${id}`,
    deviceRevoked: 'seither widerrufen; was es vorher signierte, gilt weiter',
    unsigned: 'noch niemandem',
    receipts: 'Quittungen',
    receiptsChecked: (count) => (count === 1 ? '1, und sie stimmt' : `${count}, und alle stimmen`),
    receiptsChecking: 'Werden geprüft …',
    storage: 'Prüfen, was der Server hat',
    fault: 'Diese Datei lässt sich nicht öffnen.',
  },
  remove: {
    title: (count) => (count === 1 ? 'Diese Datei löschen?' : `${count} Dateien löschen?`),
    text: (count) =>
      count === 1
        ? 'Der Server gibt sie endgültig auf: Einen Tag später sind auch ihre Bytes fort. Wer eine Freigabe davon hat, findet dort nichts mehr. Niemand kann sie zurückholen.'
        : 'Der Server gibt sie endgültig auf: Einen Tag später sind auch ihre Bytes fort. Wer eine Freigabe von einer hat, findet dort nichts mehr. Niemand kann sie zurückholen.',
    confirm: (count) => (count === 1 ? 'Löschen' : `${count} Dateien löschen`),
    done: (count) => (count === 1 ? 'Die Datei ist gelöscht.' : `${count} Dateien sind gelöscht.`),
    failed: (count, why) =>
      count === 1 ? `Eine Datei wurde nicht gelöscht. ${why}` : `${count} Dateien wurden nicht gelöscht. ${why}`,
  },
  saving: {
    progress: (name) => `${name} wird gespeichert`,
    done: (count) => (count === 1 ? 'Die Datei ist gespeichert.' : `${count} Dateien sind gespeichert.`),
    stop: 'Anhalten',
  },
}
