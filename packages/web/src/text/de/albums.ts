import { files, number, plural } from './counts.ts'

export const albums: typeof import('../en/albums.ts').albums = {
  title: 'Alben',
  intro:
    'Dateien, die Sie behalten, sind in Alben. Namen und Inhalte werden in diesem Browser verschlüsselt; der Server sieht beides nicht.',
  loading: 'Ihre Alben werden geöffnet\u00a0…',
  files,
  filesOf: (count, size) => `${count} · ${size}`,
  untitled: 'Album ohne Namen',
  nameFault: 'Name lässt sich nicht öffnen',
  none: {
    title: 'Noch keine Alben',
    text: 'Legen Sie ein Album an und fügen Sie Dateien hinzu: eigene oder solche, die man Ihnen geschickt hat.',
  },
  create: {
    open: 'Neues Album',
    title: 'Neues Album',
    name: 'Name',
    hint: 'Nur Sie können ihn lesen.',
    nameMissing: 'Geben Sie einen Namen für das Album ein.',
    submit: 'Album anlegen',
    done: 'Das Album wurde angelegt.',
  },
  close: 'Schließen',
  cancel: 'Abbrechen',
  back: 'Alle Alben',
  notFound: 'Dieses Album gibt es hier nicht. Vielleicht gehört es zu einem anderen Konto.',
  album: {
    empty: 'Dieses Album ist leer',
    emptyText:
      'Legen Sie Dateien hier ab oder wählen Sie sie aus. Sie werden in diesem Browser verschlüsselt, bevor sie hochgeladen werden.',
    add: 'Dateien hinzufügen',
    drop: 'Loslassen, um sie zu diesem Album hinzuzufügen',
    loading: 'Die Dateien dieses Albums werden geladen\u00a0…',
    unnamed: 'Datei ohne Namen',
    unfinished: 'Nicht fertig',
    unreadable: 'Lässt sich nicht öffnen',
    unsigned: 'Unsignierte Datei',
    opening: 'Wird geöffnet\u00a0…',
    rename: 'Umbenennen',
    share: 'Album teilen',
    renameTitle: (name) => `Name von „${name}“`,
    select: (name) => `${name} auswählen`,
  },
  incomplete: {
    notice: (count) =>
      plural(
        count,
        '1 Datei hier ist nicht fertig: Der Server hat ihre Signatur oder ihren verschlüsselten Namen nicht.',
        `${files(count)} hier sind nicht fertig: Der Server hat ihre Signaturen oder ihre verschlüsselten Namen nicht.`,
      ),
    explain:
      'Meist wurde eine Seite oder ein Programm geschlossen, bevor die Arbeit fertig war. Sehen Sie sich an, was Sie fertigstellen. Nichts wird noch einmal hochgeladen.',
    review: (count) => plural(count, 'Datei ansehen', 'Dateien ansehen'),
    title: 'Dateien, die nicht fertig sind',
    opening: 'Wird geöffnet\u00a0…',
    later: (count) => plural(count, 'Danach folgt noch 1 Datei.', `Danach folgen noch ${files(count)}.`),
    unreadable: 'Diese Datei lässt sich nicht fertigstellen.',
    album: 'Album',
    origin: 'Herkunft',
    ownUpload: 'Ihr eigener Upload',
    senderNone: 'Kein Name angegeben',
    about:
      'Beim Fertigstellen wird der Name verschlüsselt und genau die hier gezeigte Datei mit dem Schlüssel dieses Browsers signiert. Ihr eigener Upload wird zuvor einmal vom Server gelesen, um ihn zu prüfen.',
    finish: 'Fertigstellen',
    finishing: 'Wird fertiggestellt\u00a0…',
    done: 'Die Datei ist fertig.',
  },
  trust: {
    unsigned: 'Nicht signiert',
    unsignedReason:
      'Keines Ihrer Geräte hat diese Datei signiert. Wenn eine Seite oder ein Programm geschlossen wurde, während sie behalten oder hochgeladen wurde, sehen Sie sich die Datei in ihrem Album an und stellen Sie sie dort fertig.',
    revoked: 'Widerrufenes Gerät',
    revokedReason: (when) => `Signiert von einem Gerät, das Sie am ${when} widerrufen haben.`,
    name: (id) => `Unsignierte Datei ${id}`,
    notShared: (count) =>
      plural(
        count,
        'Eine dieser Dateien hat keines Ihrer Geräte signiert, deshalb lässt sie sich nicht teilen. Stellen Sie ihren Upload fertig, oder wählen Sie nur die anderen aus.',
        `${files(count)} von diesen hat keines Ihrer Geräte signiert, deshalb lassen sie sich nicht teilen. Stellen Sie ihre Uploads fertig, oder wählen Sie nur die anderen aus.`,
      ),
    changed:
      'Diese Datei wurde ersetzt oder gelöscht, nachdem diese Seite sie angezeigt hat. Nichts wurde geöffnet. Laden Sie sie neu.',
    reload: 'Neu laden',
  },
  consent: {
    title: {
      preview: () => 'Diese Datei trotzdem anzeigen?',
      download: (count) =>
        plural(count, 'Diese Datei trotzdem herunterladen?', `Diese ${files(count)} trotzdem herunterladen?`),
      share: (count) => plural(count, 'Diese Datei trotzdem teilen?', `Diese ${files(count)} trotzdem teilen?`),
    },
    unsigned: (count, all) =>
      all === 1
        ? 'Keines Ihrer Geräte hat diese Datei signiert.'
        : `${number(count)} dieser ${files(all)} hat keines Ihrer Geräte signiert.`,
    unsignedMeaning: (count) =>
      plural(
        count,
        'Vielleicht brach ihr Upload ab. Ein unehrlicher Server kann Ihnen hier aber auch eine andere Datei zeigen: eine, die ein Gast Ihnen geschickt hat, oder eine ältere von Ihnen. Diese Seite kann das nicht unterscheiden und zeigt deshalb keinen Namen.',
        'Vielleicht brachen ihre Uploads ab. Ein unehrlicher Server kann Ihnen hier aber auch andere Dateien zeigen: solche, die Gäste Ihnen geschickt haben, oder ältere von Ihnen. Diese Seite kann das nicht unterscheiden und zeigt deshalb keine Namen.',
      ),
    revoked: (count, all, days) =>
      all === 1
        ? `Diese Datei ist von einem Gerät signiert, das Sie am ${days.join(', ')} widerrufen haben.`
        : `${number(count)} dieser ${files(all)} ${plural(count, 'ist', 'sind')} von einem Gerät signiert, das Sie widerrufen haben (${days.join(', ')}).`,
    revokedMeaning: (count) =>
      plural(
        count,
        'Wahrscheinlich ist sie von Ihnen, aus der Zeit davor. Wer das Gerät an sich genommen hat, kann aber eine andere Datei mit beliebigem Datum signiert haben, und ein unehrlicher Server kann sie hier zeigen.',
        'Wahrscheinlich sind sie von Ihnen, aus der Zeit davor. Wer das Gerät an sich genommen hat, kann aber andere Dateien mit beliebigem Datum signiert haben, und ein unehrlicher Server kann sie hier zeigen.',
      ),
    confirm: { preview: 'Trotzdem anzeigen', download: 'Trotzdem herunterladen', share: 'Trotzdem teilen' },
  },
  thumbnails: {
    make: 'Vorschaubilder machen',
    done: (made) => plural(made, '1 Vorschaubild wurde gemacht.', `${number(made)} Vorschaubilder wurden gemacht.`),
    none: (count) =>
      plural(
        count,
        '1 Datei hat keines: Sie ist von anderer Art oder kann hier nicht gezeichnet werden.',
        `${files(count)} haben keines: Sie sind von anderer Art oder können hier nicht gezeichnet werden.`,
      ),
  },
  selection: {
    region: 'Ausgewählte Dateien',
    count: (count) => `${files(count)} ausgewählt`,
    clear: 'Auswahl aufheben',
    all: 'Alle auswählen',
    share: 'Teilen',
    download: 'Herunterladen',
    remove: 'Löschen',
  },
  uploads: {
    title: 'Uploads',
    summary: (done, all) => `${number(done)} von ${number(all)} fertig`,
    allDone: (count) =>
      plural(
        count,
        'Die Datei ist verschlüsselt und hochgeladen.',
        `Alle ${files(count)} sind verschlüsselt und hochgeladen.`,
      ),
    phases: {
      waiting: 'Wartet',
      preparing: 'Wird verschlüsselt',
      sending: 'Wird hochgeladen',
      finishing: 'Wird bestätigt',
      paused: 'Angehalten',
      failed: 'Gestoppt',
      file_missing: 'Wählen Sie die Datei noch einmal aus, um fortzufahren',
      done: 'Hochgeladen',
    },
    line: 'Die Verbindung ist schlecht. Der Upload geht von selbst weiter.',
    diskFull: 'Der Server hat jetzt keinen Platz. Der Upload geht von selbst weiter.',
    littleRoom: 'Der Server hat wenig Platz: Die Dateien werden nacheinander gesendet.',
    looking: (count) => `Es wird geprüft, was davon schon im Album ist: ${files(count)}…`,
    alreadyThere: (count, name) =>
      plural(
        count,
        `Eine Datei mit Name, Größe und Änderungsdatum von ${name} ist schon im Album oder in der Liste seiner Uploads und wurde deshalb nicht hinzugefügt.`,
        `${files(count)} wurden nicht hinzugefügt: Dateien mit ihren Namen, Größen und Änderungsdaten sind schon im Album oder in der Liste seiner Uploads.`,
      ),
    addAnyway: () => 'Trotzdem hinzufügen',
    missing:
      'Der Browser hat keinen Zugriff mehr auf Dateien, die hinzugefügt wurden, bevor diese Seite geladen wurde. Wählen Sie sie noch einmal aus, gern mehrere auf einmal.',
    empty:
      'Diese Datei ist leer. Falls etwas darin sein sollte, kopieren Sie sie in einen anderen Ordner und fügen Sie die Kopie hinzu.',
    otherFile:
      'Das ist eine andere Datei, oder sie wurde geändert. Wählen Sie die Datei aus, mit der Sie begonnen haben.',
    pause: (name) => `${name} anhalten`,
    resume: (name) => `${name} fortsetzen`,
    retry: (name) => `${name} noch einmal versuchen`,
    cancel: (name) => `${name} abbrechen`,
    hide: 'Ausblenden',
    hideLong: (name) => `Ausblenden: ${name}. Die Datei bleibt im Album.`,
    choose: (name) => `${name} auswählen`,
    chooseShort: 'Datei auswählen',
    clear: 'Hochgeladene ausblenden',
    progress: (name) => `Fortschritt von ${name}`,
    leave: 'Lassen Sie diesen Tab offen, bis die Uploads fertig sind.',
    afterReload:
      'Wählen Sie nach einem Neuladen dieselben Dateien noch einmal aus; was angekommen ist, wird nicht noch einmal gesendet.',
  },
  asset: {
    back: 'Zurück zum Album',
    loading: 'Wird geöffnet\u00a0…',
    notFound: 'Diese Datei ist nicht mehr hier. Sie wurde anderswo gelöscht oder verschoben.',
    show: 'Vorschau anzeigen',
    showHint: 'Die Datei wird erst geöffnet, wenn Sie es wünschen.',
    hide: 'Vorschau ausblenden',
    download: 'Herunterladen',
    downloading: 'Wird heruntergeladen\u00a0…',
    stop: 'Anhalten',
    share: 'Teilen',
    remove: 'Löschen',
    nameHint:
      'Nur Sie können ihn lesen. Freigaben behalten den Namen, mit dem sie erstellt wurden, wenn sie nicht dem Album folgen.',
    nameMissing: 'Geben Sie einen Namen ein.',
    facts: 'Über diese Datei',
    size: 'Größe',
    kept: 'Gespeichert seit',
    modified: 'Zuletzt geändert',
    type: 'Art',
    note: 'Nachricht',
    sender: 'Gesendet von',
    senderHint: '(diesen Namen hat der Absender angegeben)',
    answerHint: '(die Antworten des Absenders auf Ihre Fragen)',
    arrived: 'Über einen Link angekommen',
    signedBy: 'Signiert von',
    keyAdded: (when) => `hinzugefügt am ${when}`,
    deviceRevoked: 'später widerrufen',
    sharedWith: 'Gezeigt in',
    receipts: 'Quittungen',
    receiptsChecked: (count) => plural(count, '1, und sie ist gültig', `${number(count)}, und alle sind gültig`),
    receiptsChecking: 'Werden geprüft\u00a0…',
    storage: 'Prüfen, was der Server gespeichert hat',
    fault: 'Diese Datei lässt sich nicht öffnen.',
    protect: 'Schützen',
    protectedUntil: 'Nicht löschbar vor',
  },
  protect: {
    title: 'Vor dem Löschen schützen',
    keeping: (count) => plural(count, 'Die Datei vor dem Löschen schützen', `${files(count)} vor dem Löschen schützen`),
    text: (count) =>
      plural(
        count,
        'Vor diesem Tag kann niemand diese Datei löschen: weder Sie noch der Betreiber mit den Befehlen dieses Servers, noch jemand, der Ihr Konto übernimmt. Bis dahin zählt sie zu Ihrem Platz, und auch das Konto lässt sich nicht löschen.',
        'Vor diesem Tag kann niemand diese Dateien löschen: weder Sie noch der Betreiber mit den Befehlen dieses Servers, noch jemand, der Ihr Konto übernimmt. Bis dahin zählen sie zu Ihrem Platz, und auch das Konto lässt sich nicht löschen.',
      ),
    forGood: 'Sie können danach einen späteren Tag wählen, aber nie einen früheren.',
    until: 'Geschützt bis',
    hint: (latest) => `Spätestens ${latest}.`,
    fault: (earliest, latest) => `Wählen Sie einen Tag vom ${earliest} bis zum ${latest}.`,
    none: 'Dieser Server schützt keine Dateien vor dem Löschen, oder diese Datei ist so lange geschützt, wie er es erlaubt.',
    submit: 'Datei schützen',
    done: (when) => `Die Datei kann vor dem ${when} nicht gelöscht werden.`,
    unsigned: 'Diese Datei ist nicht geschützt: Sie ist nicht fertig, oder sie wurde inzwischen gelöscht.',
  },
  move: {
    short: 'Verschieben',
    title: (count) =>
      plural(count, 'Diese Datei in ein anderes Album verschieben', `${files(count)} in ein anderes Album verschieben`),
    text: (count) =>
      plural(
        count,
        'Jedes Album hat eigene Schlüssel: Die Datei wird gelesen, neu verschlüsselt und neu gespeichert. Hier wird sie gelöscht, sobald der Server dort jedes Byte geprüft hat. Freigaben zeigen sie dann nicht mehr. Sie bekommt neue Quittungen: Wenn Sie die ihrer Ankunft brauchen, speichern Sie sie vorher, mit einer Prüfung unter Speicher.',
        'Jedes Album hat eigene Schlüssel: Die Dateien werden gelesen, neu verschlüsselt und neu gespeichert. Jede wird hier gelöscht, sobald der Server dort jedes Byte geprüft hat. Freigaben zeigen sie dann nicht mehr. Sie bekommen neue Quittungen: Wenn Sie die ihrer Ankunft brauchen, speichern Sie sie vorher, mit einer Prüfung unter Speicher.',
      ),
    confirm: (count) => plural(count, 'Datei verschieben', `${files(count)} verschieben`),
    done: (count, album) =>
      plural(count, `Die Datei ist jetzt in „${album}“.`, `${files(count)} sind jetzt in „${album}“.`),
    toAlbum: 'Album öffnen',
    unsigned: (count) =>
      plural(
        count,
        'Eine dieser Dateien ist von keinem Ihrer zugelassenen Geräte signiert und lässt sich nicht verschieben. Wählen Sie die anderen allein aus.',
        `${files(count)} von diesen sind von keinem Ihrer zugelassenen Geräte signiert und lassen sich nicht verschieben. Wählen Sie die anderen allein aus.`,
      ),
  },
  removeAlbum: {
    open: 'Album löschen',
    title: (name) => `„${name}“ löschen?`,
    empty: 'Das Album ist leer. Das Löschen lässt sich nicht rückgängig machen.',
    text: (count, bytes) =>
      plural(
        count,
        `Das Album hat 1 Datei (${bytes}). Sie kommt mit ihm in den Papierkorb und lässt sich eine Zeit lang wiederherstellen. Über eine Freigabe lässt sie sich nicht mehr öffnen.`,
        `Das Album hat ${files(count)} (${bytes}). Sie kommen mit ihm in den Papierkorb und lassen sich eine Zeit lang wiederherstellen. Über eine Freigabe lassen sie sich nicht mehr öffnen.`,
      ),
    confirm: (count) =>
      count === 0 ? 'Album löschen' : plural(count, 'Album und 1 Datei löschen', `Album und ${files(count)} löschen`),
    done: 'Das Album wurde gelöscht.',
  },
  remove: {
    title: (count) => plural(count, 'Diese Datei löschen?', `${files(count)} löschen?`),
    text: (count) =>
      plural(
        count,
        'Die Datei kommt in den Papierkorb und lässt sich dort eine Zeit lang wiederherstellen. Über eine Freigabe lässt sie sich nicht mehr öffnen.',
        'Die Dateien kommen in den Papierkorb und lassen sich dort eine Zeit lang wiederherstellen. Über eine Freigabe lassen sie sich nicht mehr öffnen.',
      ),
    retained: (count, until) =>
      plural(
        count,
        `1 Datei ist geschützt und bleibt: Sie kann nicht vor dem ${until} gelöscht werden.`,
        `${files(count)} sind geschützt und bleiben: Die letzte kann nicht vor dem ${until} gelöscht werden.`,
      ),
    confirm: (count) => plural(count, 'Datei löschen', `${files(count)} löschen`),
    done: (count) => plural(count, 'Die Datei wurde gelöscht.', `${files(count)} wurden gelöscht.`),
  },
  saving: {
    progress: (name) => `${name} wird heruntergeladen`,
    done: (count) => plural(count, 'Die Datei wurde heruntergeladen.', `${files(count)} wurden heruntergeladen.`),
    zip: (count) => files(count),
    stop: 'Anhalten',
    album: 'Album herunterladen',
    albumDone: (count) => `${files(count)} ${plural(count, 'wurde', 'wurden')} als eine ZIP-Datei heruntergeladen.`,
    albumLeft: (count) =>
      `${files(count)} ${plural(count, 'ist', 'sind')} nicht in der ZIP-Datei: nicht fertig, von keinem Ihrer zugelassenen Geräte signiert oder nicht lesbar. Öffnen Sie ${plural(count, 'sie', 'sie')} einzeln.`,
    albumNone: 'Keine dieser Dateien lässt sich ohne Rückfrage öffnen. Öffnen Sie sie einzeln.',
    albumTooMany: (count) => `Eine ZIP-Datei hat höchstens ${files(count)}. Wählen Sie stattdessen einige aus.`,
  },
}
