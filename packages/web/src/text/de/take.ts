import { files, number, plural } from './counts.ts'

export const take: typeof import('../en/take.ts').take = {
  title: 'Dateien aus anderen Apps',
  explain:
    'Wo Blindkeep als App installiert ist, kann das Teilen-Menü Ihres Telefons oder Computers es anbieten. Fotos und andere Dateien gelangen dann aus ihrer App in eines Ihrer Alben.',
  start: 'Auf diesem Gerät Dateien aus anderen Apps annehmen',
  isOn: 'Auf diesem Gerät an',
  stop: 'Keine Dateien mehr annehmen',
  started: 'Dieses Gerät nimmt jetzt Dateien aus anderen Apps an.',
  stopped: 'Dieses Gerät nimmt keine Dateien aus anderen Apps mehr an.',
  install:
    'Installieren Sie Blindkeep über das Menü dieses Browsers. War es schon installiert und fehlt es im Teilen-Menü, dann entfernen und installieren Sie es noch einmal. Wählen Sie beim Anmelden „Auf diesem Gerät angemeldet bleiben“: Sonst fragt jedes Teilen nach Ihrem Passwort.',
  stopExplain:
    'Dateien, die auf diesem Gerät noch warten, werden gelöscht, wenn Sie das ausschalten oder sich abmelden. Das Teilen-Menü bietet Blindkeep vielleicht noch einige Tage an; was dann geteilt wird, wird nicht angenommen.',
  storing: (hours) =>
    `Geteilte Dateien warten unverschlüsselt auf diesem Gerät, bis Sie sie hinzufügen oder verwerfen, höchstens ${hours} Stunden.`,
  risk: 'Hat dieser Browser seine Daten dieser Seite verloren, etwa weil Sie sie gelöscht haben, dann gehen geteilte Dateien ohne Verschlüsselung zum Server, bis Sie Blindkeep wieder öffnen. Der Server weist sie ab und speichert nichts, aber sie sind durch die Hände derer gegangen, die ihn betreiben. Öffnen Sie Blindkeep also nach dem Löschen von Daten einmal, bevor Sie etwas teilen.',
  unsupported:
    'Dieser Browser zeigt Blindkeep in keinem Teilen-Menü. Chrome und Edge tun es, unter Android, ChromeOS und Windows.',
  waiting: (count) =>
    plural(count, 'Eine Datei wurde mit Blindkeep geteilt', `${files(count)} wurden mit Blindkeep geteilt`),
  about:
    'Nichts wird hochgeladen, bevor Sie es hinzufügen. Fügen Sie nur hinzu, was Sie selbst geteilt haben: Auch andere Webseiten können hier Dateien ablegen.',
  list: 'Geteilte Dateien',
  unnamed: 'Datei ohne Namen',
  add: 'In ein Album\u00a0…',
  discard: 'Verwerfen',
  discardAll: 'Alle verwerfen',
  discardOf: (name) => `${name} verwerfen`,
  dialog: (count) => plural(count, 'Die Datei zu einem Album hinzufügen', `${files(count)} zu einem Album hinzufügen`),
  submit: (count) => plural(count, 'Datei hinzufügen', `${files(count)} hinzufügen`),
  close: 'Schließen',
  discarded: (count) => plural(count, 'Die Datei wurde verworfen.', `${files(count)} wurden verworfen.`),
  signIn:
    'Dateien, die mit Blindkeep geteilt wurden, warten auf diesem Gerät. Melden Sie sich an, um sie zu einem Album hinzuzufügen.',
  faults: {
    off: 'Nichts wurde angenommen: Dieses Gerät nimmt keine Dateien aus anderen Apps an. Sie können das unter Konto einschalten.',
    many: (most) =>
      `Nichts wurde angenommen: Höchstens ${number(most)} Dateien warten hier zugleich. Fügen Sie einige hinzu oder verwerfen Sie sie, dann teilen Sie noch einmal.`,
    full: 'Nichts wurde angenommen: Dieser Browser hat keinen Platz für diese Dateien. Schaffen Sie Platz, oder teilen Sie weniger auf einmal.',
    failed:
      'Nichts wurde angenommen: Dieser Browser konnte diese Dateien nicht lesen oder speichern. Teilen Sie weniger auf einmal.',
  },
}
