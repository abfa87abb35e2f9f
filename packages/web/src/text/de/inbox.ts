import { files, number, plural } from './counts.ts'

export const inbox: typeof import('../en/inbox.ts').inbox = {
  title: 'Eingang',
  listing: 'Die Liste wird gelesen\u00a0…',
  reading: 'Die Namen werden gelesen\u00a0…',
  waiting: files,
  about: (size) => `etwa ${size}`,
  emptyTitle: 'Ihr Eingang ist leer',
  empty: 'Dateien, die man Ihnen über Ihre Links schickt, erscheinen hier, sobald sie angekommen sind.',
  toLinks: 'Zu Ihren Links',
  emptyFilter: 'Von diesem Link sind keine Dateien da.',
  showAll: 'Alle anzeigen',
  room: {
    nearlyFull: 'Ihr Eingang ist fast voll',
    full: 'Ihr Eingang ist voll',
    waiting: {
      nearlyFull: (waiting, room) =>
        `${number(waiting)} von höchstens ${number(room)} Dateien warten darin. Behalten oder verwerfen Sie einige: Wenn er voll ist, können Gäste nichts mehr senden.`,
      full: (waiting) =>
        `${files(waiting)} ${plural(waiting, 'wartet', 'warten')} darin. Behalten oder verwerfen Sie einige: Bis dahin können Gäste nichts mehr senden.`,
    },
    refused: 'Gäste konnten Ihnen keine Dateien senden',
    refusedCount: (count, first, last) =>
      count === 1 ? `Ein Versuch, ${last}.` : `${number(count)} Versuche, von ${first} bis ${last}.`,
    inbox_full:
      'Ihr Eingang war voll. Behalten oder verwerfen Sie Dateien darin, und bitten Sie Ihre Gäste dann, es noch einmal zu versuchen.',
    quota_exceeded:
      'Die Dateien waren größer als der Platz, den Sie noch hatten. Schaffen Sie Platz, oder bitten Sie den Betreiber dieses Servers um mehr, und bitten Sie Ihre Gäste dann, es noch einmal zu versuchen.',
  },
  filter: 'Anzeigen',
  allLinks: (count) => `Alle Links (${number(count)})`,
  linkOption: (label, count) => `${label} (${number(count)})`,
  linkUnnamed: 'Link ohne Namen',
  linkGone: 'Unbekannter Link',
  list: 'Dateien im Eingang',
  unnamed: 'Datei ohne Namen',
  unread: 'Datei, ihr Name wird gelesen\u00a0…',
  unreadSpoken: 'Datei mit noch ungelesenem Namen',
  unopened: 'Nicht zu öffnende Datei',
  from: (sender) => `von ${sender}`,
  through: (label) => `über ${label}`,
  received: (when) => `angekommen ${when}`,
  adopting: 'Kommt in ein Album',
  busy: 'Wartet auf die Reihe',
  choose: (name) => `${name} auswählen`,
  chooseAll: 'Alle auswählen',
  chosen: (count, size) => `${files(count)} ausgewählt, ${size}`,
  keep: 'Behalten\u00a0…',
  keepOf: (name) => `${name} behalten\u00a0…`,
  keepLong: 'In einem Album behalten\u00a0…',
  download: 'Herunterladen',
  downloadOf: (name) => `${name} herunterladen`,
  discard: 'Verwerfen\u00a0…',
  discardOf: (name) => `${name} verwerfen\u00a0…`,
  close: 'Schließen',
  faults: {
    sealed:
      'Sie ist beschädigt oder wurde nicht für Sie verschlüsselt und lässt sich deshalb nicht öffnen. Sie können sie verwerfen.',
    another_drop:
      'Der Server hat diese Datei durch eine andere ersetzt, nachdem er sie aufgeführt hatte. Ein echter Server tut das nie. Sagen Sie es dem Betreiber dieses Servers; laden Sie die Seite neu, um die andere Datei zu sehen.',
    damaged:
      'Die Kopie des Servers ist beschädigt oder nicht lesbar, deshalb gibt er sie nicht heraus. Bitten Sie den Betreiber dieses Servers, sie wiederherzustellen, oder den Absender, die Datei noch einmal zu senden.',
    held: 'Der Betreiber dieses Servers hält diese Datei zurück. Fragen Sie ihn nach dem Grund.',
    not_in_inbox: 'Sie ist nicht mehr im Eingang.',
    refused:
      'Der Server hat den Namen mehrmals nicht herausgegeben. Versuchen Sie es noch einmal; wenn es so bleibt, fragen Sie den Betreiber dieses Servers.',
    unreachable: 'Die Verbindung ist abgebrochen, bevor der Name gelesen werden konnte.',
    answer_broken: 'Die Antwort des Servers ist nicht lesbar.',
  },
  batch: {
    count: (count) => files(count),
    announced: (count) => `von ${number(count)} zusammen ausgewählten`,
    alone: (count) => `eine von ${number(count)} zusammen ausgewählten`,
    looking: 'weitere dieser Dateien werden gesucht\u00a0…',
    unfold: (count) => `Alle ${files(count)} anzeigen`,
    fold: 'Weniger Dateien anzeigen',
  },
  zip: {
    download: 'Als ZIP herunterladen',
    title: (count) => files(count),
    done: (count) => `${files(count)} ${plural(count, 'wurde', 'wurden')} als eine ZIP-Datei heruntergeladen.`,
    left: (count) =>
      `${files(count)} ${plural(count, 'ließ', 'ließen')} sich nicht öffnen und ${plural(count, 'ist', 'sind')} nicht in der ZIP-Datei.`,
    none: 'Keine dieser Dateien lässt sich öffnen.',
    tooMany: (count) => `Eine ZIP-Datei hat höchstens ${files(count)}. Wählen Sie weniger aus.`,
  },
  again: 'Noch einmal versuchen',
  namesMissing: 'Einige Namen konnten nicht gelesen werden. Über die Dateien selbst sagt das nichts.',
  withheld: (damaged, held) =>
    [
      ...(damaged > 0 ? [`${files(damaged)} ${plural(damaged, 'ist', 'sind')} auf dem Server beschädigt.`] : []),
      ...(held > 0 ? [`${files(held)} hält der Betreiber dieses Servers zurück.`] : []),
    ].join(' '),
  answers: {
    none: 'nicht beantwortet',
    marks: { missing: 'fehlt', not_asked: 'nicht gefragt' },
    faults: {
      too_long: 'zu lang',
      not_a_choice: 'keine der Möglichkeiten',
      not_a_date: 'kein Datum',
      not_a_number: 'keine Zahl',
    },
    wrongKind: (endings) => (endings.length === 1 ? `keine ${endings[0]}-Datei` : `nichts von ${endings.join(', ')}`),
    withoutAnswers:
      'ohne Antworten gesendet: mit einer älteren Seite oder einem älteren Programm, oder bevor Sie gefragt haben',
  },
  note: 'Nachricht',
  noteMore: 'Ganze Nachricht anzeigen',
  noteLess: 'Weniger anzeigen',
  details: {
    sender: 'Von',
    senderNone: 'Kein Name angegeben',
    size: 'Größe',
    sealedSize: (size) => `${size} verschlüsselt`,
    received: 'Angekommen',
    modified: 'Zuletzt geändert',
    type: 'Art',
    link: 'Link',
    savedAs: 'Heruntergeladen als',
    unverified:
      'Die Namen, die Antworten, die Nachricht, die Art und das Datum der letzten Änderung stammen vom Absender und sind nicht geprüft.',
    preview: 'Vorschau anzeigen',
    previewAbout:
      'Die Vorschau öffnet die Datei in einem abgeschotteten Rahmen, der nichts erreichen kann. Nichts in der Datei wird ausgeführt.',
    removed: 'Diese Datei ist nicht mehr im Eingang: Sie wurde anderswo behalten oder verworfen.',
  },
  downloading: (name) => `${name} wird heruntergeladen`,
  downloaded: (name) => `${name} wurde heruntergeladen.`,
  stop: 'Anhalten',
  tampered:
    'Warnung: Das ist nicht die Datei, die für Sie verschlüsselt wurde. Sie wurde unterwegs oder vom Server verändert. Nichts davon wurde heruntergeladen.',
  tamperedPreview:
    'Warnung: Das ist nicht die Datei, die für Sie verschlüsselt wurde. Sie wurde unterwegs oder vom Server verändert. Nichts davon wird angezeigt.',
  notWritten:
    'Die Datei konnte nicht auf diesen Computer geschrieben werden. Sorgen Sie für genug Platz und versuchen Sie es noch einmal. Nichts davon ist zurückgeblieben.',
  keeping: {
    title: (count) => plural(count, 'Diese Datei behalten', `${files(count)} behalten`),
    about:
      'Dateien, die Sie behalten, kommen aus dem Eingang in ein Album. Sie bleiben verschlüsselt und werden nicht noch einmal gesendet.',
    album: 'Album',
    albumUnnamed: 'Album ohne Namen',
    newAlbum: 'Neues Album',
    newAlbumName: 'Name des neuen Albums',
    newAlbumExample: 'Familie',
    nameMissing: 'Geben Sie einen Namen für das Album ein.',
    skipped: (count) =>
      plural(
        count,
        '1 der ausgewählten Dateien lässt sich nicht öffnen und deshalb nicht behalten. Sie bleibt im Eingang.',
        `${number(count)} der ausgewählten Dateien lassen sich nicht öffnen und deshalb nicht behalten. Sie bleiben im Eingang.`,
      ),
    none: 'Keine der ausgewählten Dateien lässt sich öffnen, deshalb lässt sich keine behalten.',
    submit: (count) => plural(count, 'Datei behalten', `${files(count)} behalten`),
    doneOne: (name, album) => `${name} ist jetzt in „${album}“.`,
    done: (count, album) => `${files(count)} sind jetzt in „${album}“.`,
    toAlbum: 'Album öffnen',
  },
  discarding: {
    title: (count) => plural(count, 'Diese Datei verwerfen?', `${files(count)} verwerfen?`),
    goesToBin:
      'Das Verworfene kommt in den Papierkorb und lässt sich dort eine Zeit lang wiederherstellen. Danach ist es verloren.',
    room: (size) => `Bis dahin belegt es ${size} Ihres Speichers.`,
    receiptStays:
      'Absender behalten ihre Quittungen: Der Server hatte zu dieser Zeit verschlüsselte Bytes. Eine Quittung zeigt nicht, welche Datei das war.',
    submit: (count) => plural(count, 'Datei verwerfen', `${files(count)} verwerfen`),
    doneOne: (name) => `${name} wurde verworfen.`,
    done: (count) => `${files(count)} wurden verworfen.`,
  },
}
