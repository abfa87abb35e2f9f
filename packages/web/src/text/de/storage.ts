import { files, number, plural } from './counts.ts'

type Texts = typeof import('../en/storage.ts').storage

const quota: Texts['quota'] = {
  heading: 'Platz',
  states: {
    ok: { title: 'Die Grenze ist nicht erreicht', meaning: 'Sie müssen nichts tun.' },
    soft_warning: {
      title: 'Ihr Speicher ist fast voll',
      meaning:
        'Uploads und Dateien von Gästen kommen noch an. Schaffen Sie Platz, bevor er voll ist: Verwerfen Sie Dateien im Eingang, löschen Sie Dateien, die Sie nicht mehr brauchen, und leeren Sie den Papierkorb, oder bitten Sie den Betreiber dieses Servers um mehr Platz.',
    },
    hard_exceeded: {
      title: 'Ihr Speicher ist voll',
      meaning:
        'Es kommt nichts Neues an: Ihre Uploads werden gestoppt, und Gäste sehen, dass kein Platz ist. Gespeicherte Dateien bleiben. Verwerfen Sie Dateien im Eingang, löschen Sie Dateien, die Sie nicht mehr brauchen, und leeren Sie den Papierkorb, oder bitten Sie den Betreiber dieses Servers um mehr Platz.',
    },
    grace_expired: {
      title: 'Ihr Speicher ist zu lange voll',
      meaning:
        'Es kommt nichts Neues an, und die Frist, um Platz zu schaffen, ist vorbei. Der Betreiber dieses Servers entscheidet jetzt, was mit Ihren Dateien geschieht. Schaffen Sie noch heute Platz, oder sprechen Sie mit ihm.',
    },
  },
  used: (used, limit) => `${used} von ${limit} belegt`,
  usedUnlimited: (used) => `${used} belegt`,
  unlimited: 'Ihr Konto hat keine Grenze.',
  soft: (limit) => `Ab ${limit} werden Sie gewarnt.`,
  left: (left) => `${left} frei`,
  none: 'nichts mehr frei',
  what: 'Dazu gehören Dateien in Alben, im Eingang und im Papierkorb und laufende Uploads. Durch die Verschlüsselung wird jede Datei ein wenig größer.',
  bar: 'Belegter Speicher',
  inBin: (size) => `Davon sind ${size} im Papierkorb.`,
  toBin: 'Papierkorb öffnen',
  toPage: 'Zum Speicher',
}

const kinds: Texts['kinds'] = {
  held_deep: {
    title: 'Gespeichert: Jedes Byte wurde gelesen und stimmt',
    meaning:
      'Der Server hat die ganze verschlüsselte Datei für diese Prüfung gelesen. Es ist die Datei, die Ihr Gerät signiert hat.',
  },
  held_structural: {
    title: 'Gespeichert, aber die Bytes wurden nicht gelesen',
    meaning:
      'Die ganze Datei ist da und kann heruntergeladen werden. Nur eine gründliche Prüfung zeigt, ob jedes Byte noch stimmt.',
  },
  tampered: {
    title: 'Widerspruch',
    meaning:
      'Die Antwort des Servers widerspricht dem, was signiert wurde. Verlassen Sie sich nicht darauf. Behalten Sie Ihre eigene Kopie.',
  },
  damaged: {
    title: 'Beschädigt',
    meaning:
      'Der Server hat seine Kopie gelesen, und die Bytes sind falsch. Behalten Sie Ihre eigene Kopie und laden Sie die Datei neu hoch.',
  },
  sample_bad: {
    title: 'Ein Stück stimmt nicht',
    meaning:
      'Dieser Browser hat zufällige Stücke dieser Datei verlangt, und eines kam nicht an oder lässt sich mit Ihrem Schlüssel nicht öffnen. Behalten Sie Ihre eigene Kopie, und versuchen Sie, die Datei herunterzuladen.',
  },
  missing: {
    title: 'Nicht gespeichert',
    meaning:
      'Der Server kennt diese Datei nicht mehr: Sie wurde gelöscht oder ist verloren. Behalten Sie Ihre eigene Kopie.',
  },
  not_held: {
    title: 'Nicht gespeichert',
    meaning:
      'Der Server hat nicht die ganze Datei oder kann sie nicht lesen. Behalten Sie Ihre eigene Kopie und laden Sie sie neu hoch.',
  },
  withheld: {
    title: 'Zurückgehalten',
    meaning:
      'Der Server hat die Bytes, gibt sie aber nicht heraus: Der Betreiber sperrt sie, oder die Kopie des Servers ist beschädigt. Behalten Sie Ihre eigene Kopie und fragen Sie den Betreiber dieses Servers.',
  },
  not_vouched: {
    title: 'Nicht bestätigt',
    meaning: 'Der Server bestätigt nicht, dass er die ganze Datei hat. Behalten Sie Ihre eigene Kopie.',
  },
  unreadable: {
    title: 'Lässt sich nicht öffnen',
    meaning: 'Ihr Schlüssel öffnet nicht, was der Server für diese Datei schickt. Behalten Sie Ihre eigene Kopie.',
  },
  unsigned: {
    title: 'Nicht signiert',
    meaning:
      'Keines Ihrer Geräte hat diese Datei signiert. Der Server könnte Ihnen also an ihrer Stelle eine andere zeigen. Behalten Sie Ihre eigene Kopie.',
  },
  device_revoked: {
    title: 'Von einem widerrufenen Gerät signiert',
    meaning:
      'Sie haben das Gerät widerrufen, das diese Datei signiert hat. Wer das Gerät hat, könnte an ihrer Stelle eine andere signiert haben. Behalten Sie Ihre eigene Kopie.',
  },
  other_file: {
    title: 'Eine andere Datei',
    meaning: 'Die gespeicherte Datei ist nicht Byte für Byte dieselbe. Behalten Sie Ihre eigene Kopie.',
  },
  incomplete: {
    title: 'Unvollständig',
    meaning:
      'Ein Teil kam nie an, weil der Upload abbrach. Schließen Sie den Upload ab und behalten Sie Ihre eigene Kopie.',
  },
  not_examined: {
    title: 'Nicht gelesen, obwohl verlangt',
    meaning: 'Der Server sollte jedes Byte lesen und hat es nicht getan. Behalten Sie Ihre eigene Kopie.',
  },
  not_yet: {
    title: 'Noch nicht geprüft',
    meaning:
      'Der Server liest pro Stunde nur eine begrenzte Menge. Setzen Sie die Prüfung in einer Stunde fort und behalten Sie bis dahin Ihre eigene Kopie.',
  },
  no_answer: {
    title: 'Nicht geprüft',
    meaning: 'Es gab keine verlässliche Antwort. Behalten Sie Ihre eigene Kopie und prüfen Sie noch einmal.',
  },
}

const check: Texts['check'] = {
  heading: 'Ist wirklich alles da?',
  intro:
    'Fragt den Server nach jeder Datei. Eine Antwort zählt nur, wenn sie zu den Signaturen Ihrer eigenen Geräte und zu den signierten Quittungen des Servers passt.',
  scope: 'Welche Dateien',
  all: (count, hasInbox) => {
    const all = plural(count, 'Ihre einzige Datei', `Alle ${files(count)}`)
    if (!hasInbox) return all
    return count === 0 ? 'Der Eingang' : `${all} in Alben, und der Eingang`
  },
  album: 'Ein Album',
  albumLabel: 'Album',
  albumUnnamed: 'Album ohne Namen',
  some: 'Nur einige',
  chosen: (count) => (count === 0 ? 'Noch keine ausgewählt' : `${files(count)} ausgewählt`),
  choose: 'Dateien auswählen',
  depth: 'Wie genau',
  deep: 'Gründlich: Der Server liest jedes Byte',
  deepHint:
    'Findet auch Schäden. Der Server liest pro Stunde und Konto nur eine begrenzte Menge. Die übrigen Dateien sind „Noch nicht geprüft“, und Sie können später weitermachen.',
  structural: 'Schnell: Ist die ganze Datei da, und kann man sie herunterladen?',
  structuralHint: 'Dauert nur einen Moment. Findet keine beschädigten Bytes.',
  start: 'Jetzt prüfen',
  nothing: 'Sie haben noch keine Dateien, die geprüft werden können.',
  running: (done, total) => `${number(done)} von ${files(total)} geprüft`,
  runningTitle: 'Prüfung läuft',
  cancel: 'Anhalten',
  canLeave: 'Sie können die anderen Seiten benutzen. Die Prüfung läuft weiter, solange dieser Tab offen ist.',
  again: 'Neue Prüfung',
  resume: (count) => `${files(count)} prüfen, die noch nicht geprüft ${plural(count, 'ist', 'sind')}`,
  stopped: 'Angehalten. Die Ergebnisse bis dahin stehen unten.',
  failed: 'Die Prüfung konnte nicht fortgesetzt werden.',
}

const pieces = (count: number) => `${number(count)} ${plural(count, 'Stück', 'Stücke')}`
const ofPieces = (count: number) => `${number(count)} ${plural(count, 'Stück', 'Stücken')}`

const sample: Texts['sample'] = {
  label: 'Stichprobe: Dieser Browser lädt zufällige Stücke herunter und öffnet sie',
  hint: 'Verlässt sich nicht auf das Wort des Servers: Nur Ihre Schlüssel unterscheiden richtige von falschen Bytes. Findet, dass ein Teil aller Stücke fehlt, aber kaum eine einzelne verlorene Datei. Deshalb gehört die schnelle Prüfung jeder Datei dazu.',
  howMany: 'Wie viele Stücke von höchstens 1 MiB',
  finds: (share) => `Findet fast immer, wenn ${share} aller Stücke fehlen.`,
  cost: (size) => `Lädt höchstens ${size} herunter, und etwa 30 kB für jede Datei.`,
  running: (done, total) => `${number(done)} von ${ofPieces(total)} geöffnet`,
  none: 'Es gab keine signierte Datei, aus der Stücke gezogen werden konnten.',
  opened: (good, drawn, of) =>
    `Stichprobe: ${number(good)} von ${ofPieces(drawn)} geöffnet, zufällig gezogen aus ${number(of)}.`,
  found: (share) =>
    `Wenn ${share} aller Stücke fehlten, würde eine solche Stichprobe es mit 99 % Wahrscheinlichkeit finden. Eine einzelne verlorene Datei unter vielen findet sie nicht.`,
  bad: (count) => `${pieces(count)} ${plural(count, 'stimmt', 'stimmen')} nicht: siehe die Dateien unten.`,
  notAsked: (count) =>
    `${pieces(count)} ${plural(count, 'konnte', 'konnten')} nicht verlangt werden: Die Verbindung ist abgebrochen, die Prüfung wurde angehalten, oder die Datei wurde inzwischen gelöscht. Ein Server kann das für das herbeiführen, was ihm fehlt. Diese Stichprobe beweist also nichts. Prüfen Sie noch einmal.`,
  someVersion: (count) =>
    `${pieces(count)} ${plural(count, 'kann', 'können')} von einer älteren Fassung einer Datei stammen, weil dieser Browser die Datei weder verschlüsselt noch bis zum Ende gelesen hat.`,
  faults: {
    missing: 'Der Server sagt, dass er die Bytes nicht hat.',
    refused: 'Der Server hat die Bytes verweigert.',
    late: 'Der Server hat die Bytes nicht rechtzeitig geschickt.',
    other_range: 'Der Server hat andere Bytes geschickt als die verlangten.',
    altered:
      'Die Bytes lassen sich nicht öffnen: Es sind nicht diese Bytes dieser Datei. Wenn sie von einem Gast kam, kann der Gast sie so geschickt haben.',
    other_version:
      'Die Datei beginnt anders als damals, als dieser Browser sie verschlüsselt oder gelesen hat: Der Server zeigt vielleicht eine ältere Fassung.',
  },
  limits: [
    'Stücke, die nicht gezogen wurden. Eine Stichprobe findet, dass ein Teil aller Stücke fehlt, nicht eine einzelne verlorene Datei.',
    'Ob ein Stück zu einer älteren Fassung seiner Datei gehört, wenn dieser Browser nicht weiß, wie die Datei beginnt.',
    'Was der Absender einer Datei aus dem Eingang fälschen könnte: Er kennt den Schlüssel dieser Datei.',
  ],
  runs: 'Stichproben in diesem Browser',
  runsIntro:
    'Was gezogen wurde und was dabei herauskam, ohne Namen. Die Aufzeichnung überzeugt Sie und sonst niemanden. Sie bleibt in diesem Browser.',
  run: (good, drawn, of) => `${number(good)} von ${ofPieces(drawn)} geöffnet, aus insgesamt ${number(of)}.`,
  runStopped: 'Angehalten.',
  saveRuns: 'Als JSON herunterladen',
  fileName: 'stichproben',
}

const all = (count: number, hasInbox: boolean) =>
  `${plural(count, 'Die Datei', `Alle ${files(count)}`)}${hasInbox ? ' in Alben' : ''}`

const results: Texts['results'] = {
  heading: 'Ergebnis',
  summaries: {
    nothing: () => 'Es gab nichts zu prüfen.',
    inbox_only: () => 'In Alben sind keine Dateien.',
    problems: (bad, total) =>
      `${number(bad)} von ${files(total)} ${plural(bad, 'hat ein Problem. Behalten Sie Ihre eigene Kopie', 'haben ein Problem. Behalten Sie Ihre eigenen Kopien')}.`,
    unchecked: (open, total) =>
      `${number(open)} von ${files(total)} ${plural(open, 'konnte noch nicht geprüft werden. Löschen Sie Ihre eigene Kopie nicht', 'konnten noch nicht geprüft werden. Löschen Sie Ihre eigenen Kopien nicht')}.`,
    structural: (count, hasInbox) =>
      `${all(count, hasInbox)} ${plural(count, 'ist', 'sind')} in ganzer Länge da. Nicht alle Bytes wurden gelesen.`,
    all_read: (count, hasInbox) =>
      `${all(count, hasInbox)} ${plural(count, 'ist', 'sind')} gespeichert: Jedes Byte wurde gelesen und stimmt.`,
  },
  inbox: ({ files: count, damaged, held }) => {
    const bad = [
      ...(damaged > 0 ? [`${number(damaged)} auf dem Server beschädigt`] : []),
      ...(held > 0 ? [`${number(held)} vom Betreiber zurückgehalten`] : []),
    ]
    const known = bad.length === 0 ? 'der Server weiß von keinem Schaden' : bad.join(', ')
    return `Eingang: ${files(count)}, ${known}. Ihre Bytes wurden für diese Prüfung nicht gelesen. Behalten Sie eine Datei, um sie prüfen zu lassen.`
  },
  between: (from, to) =>
    from === to ? `Das galt am ${from} (Uhr des Servers).` : `Das galt zwischen ${from} und ${to} (Uhr des Servers).`,
  changedSince: (count) =>
    `Seit dieser Prüfung ${plural(count, 'wurde', 'wurden')} ${files(count)} gelöscht, verschoben oder geändert. Prüfen Sie noch einmal.`,
  counts: {
    deep: (count) => `${number(count)} gespeichert, jedes Byte gelesen`,
    structural: (count) => `${number(count)} gespeichert, Bytes nicht gelesen`,
    problems: (count) => `${number(count)} mit einem Problem`,
    unchecked: (count) => `${number(count)} nicht geprüft`,
  },
  filter: 'Anzeigen',
  filterAll: 'Alle',
  filterProblems: 'Probleme und nicht Geprüftes',
  noProblems: 'Keine Datei hat ein Problem.',
  more: (count) => `${number(count)} weitere anzeigen`,
  unnamed: 'Datei ohne Namen',
  concerned: (list) => `Zweifelhaft: ${list}.`,
  unread: (list) => `Nicht gelesen: ${list}.`,
  receipts: 'Quittungen',
  receiptsOf: (name) => `Quittungen von ${name}`,
  notAsked: 'Noch nicht geprüft',
  checkedHeading: 'Was bei jeder Datei geprüft wurde, die „gespeichert“ heißt',
  checkedDone: [
    'Eines Ihrer eigenen Geräte hat sie signiert (wenn Sie es widerrufen haben, steht das bei der Datei), und Ihr Schlüssel öffnet ihren Namen und ihren Anfang.',
    'Die signierten Quittungen des Servers gelten für genau diese verschlüsselten Bytes. Bei jeder sind beide Signaturen gültig, die Quittungen folgen der Ordnung eines einzigen Protokolls, und ihre Schlüssel sind die Schlüssel des Servers, die sich dieser Browser gemerkt hat.',
    'Danach hat der Server bestätigt, dass genau diese Bytes vollständig da sind und heruntergeladen werden können.',
  ],
  checkedDeep: 'Wo es im Ergebnis steht, hat der Server für diese Antwort jedes Byte gelesen.',
  uncheckedHeading: 'Was diese Prüfung nicht zeigen kann',
  uncheckedList: [
    'Ob die Liste Ihrer Dateien vollständig ist. Die Liste kommt vom Server, und eine Datei, die nicht darauf steht, wird nicht geprüft. Wenn Sie Kopien haben, vergleichen Sie sie unten, um fehlende Dateien zu finden.',
    'Ob der Server die Wahrheit über seine Festplatten sagt oder die Dateien morgen noch hat. Die Quittungen beweisen, dass er sie hatte. Für mehr Gewissheit laden Sie eine Datei herunter und öffnen Sie sie.',
    'Ob eine Kopie anderswo dieselbe Datei ist. Vergleichen Sie sie unten, bevor Sie sie löschen.',
    'Vorschaubilder. Wenn sie verloren gehen, werden sie aus der Datei neu erzeugt.',
  ],
  save: 'Bericht herunterladen',
  saveJson: 'Als JSON herunterladen',
  print: 'Drucken',
}

const safe: Texts['safe'] = {
  heading: 'Kann ich meine anderen Kopien löschen?',
  no: 'Nein. Behalten Sie jede Kopie der Dateien mit einem Problem.',
  notYet: 'Noch nicht. Nicht alles konnte geprüft werden.',
  notDeep: 'Nein. Die Bytes wurden nicht gelesen. Prüfen Sie gründlich, oder vergleichen Sie Ihre Kopien.',
  compare:
    'Nicht allein wegen dieser Prüfung. Der Server hat die Dateien, die Ihre Geräte signiert haben. Ob eine Kopie anderswo dieselbe Datei ist, zeigt nur ein Vergleich.',
  action: 'Meine Kopien vergleichen',
}

const compare: Texts['compare'] = {
  heading: 'Bevor Sie eigene Kopien löschen',
  intro:
    'Wählen Sie die Kopien auf diesem Gerät aus, die Sie löschen wollen. Dieser Browser vergleicht jede Byte für Byte mit der gespeicherten Datei, und der Server muss seine eigene Kopie lesen. Nichts wird hochgeladen oder gelöscht.',
  chooseFiles: 'Kopien auswählen',
  chooseFolder: 'Ordner auswählen',
  dropHere: 'oder hier ablegen',
  running: (done, total) => `${number(done)} von ${files(total)} verglichen`,
  reading: (name) => `${name} wird verglichen`,
  cancel: 'Anhalten',
  again: 'Die anderen Kopien noch einmal vergleichen',
  clear: 'Leeren',
  yesHeading: (count) =>
    plural(count, 'Ja: Sie dürfen diese Kopie löschen', `Ja: Sie dürfen diese ${number(count)} Kopien löschen`),
  yes: (when) =>
    `Jede ist Byte für Byte eine Datei, die der Server gespeichert hat (${when}). Der Server hat dafür jedes Byte seiner eigenen Kopien gelesen, und seine signierten Quittungen sind gültig. Das galt zu dieser Zeit. Ein Versprechen für später ist es nicht.`,
  when: (from, to) => (from === to ? `bewiesen am ${from}` : `bewiesen zwischen ${from} und ${to}`),
  noHeading: (bad, total) => {
    if (bad < total) return `Nein: Behalten Sie ${number(bad)} von ${number(total)} Kopien`
    return plural(total, 'Nein: Behalten Sie diese Kopie', `Nein: Behalten Sie alle ${number(total)} Kopien`)
  },
  no: 'Löschen Sie diese Kopien nicht:',
  some: (count) =>
    plural(count, 'Die andere Kopie dürfen Sie löschen.', `Die anderen ${number(count)} Kopien dürfen Sie löschen.`),
  runningVerdict: 'Noch kein Ergebnis. Behalten Sie alles, bis alle Kopien verglichen sind.',
  keptAs: (name) => `Gespeichert als ${name}`,
  mine: 'Ihre Kopien',
}

const compareKinds: Texts['compareKinds'] = {
  ...kinds,
  safe: {
    title: 'Sie dürfen diese Kopie löschen',
    meaning:
      'Dieser Browser hat Ihre Kopie noch einmal verschlüsselt, und das Ergebnis ist genau die gespeicherte Datei. Ihre Quittungen sind gültig, und der Server hat jedes Byte der gespeicherten Datei gelesen und für richtig befunden.',
  },
  changed_since: {
    title: 'Vor späteren Änderungen verglichen',
    meaning:
      'Seitdem wurde die gespeicherte Datei gelöscht, verschoben oder geändert. Behalten Sie Ihre Kopie, und vergleichen Sie sie noch einmal, bevor Sie sie löschen.',
  },
  no_match: {
    title: 'Keine gespeicherte Datei hat diese Größe',
    meaning: 'Diese Kopie ist also nicht auf dem Server gespeichert. Behalten Sie Ihre Kopie.',
  },
  file_unreadable: {
    title: 'Diese Kopie konnte nicht gelesen werden',
    meaning:
      'Sie wurde während des Vergleichs verschoben, geändert oder gelöscht. Behalten Sie sie und wählen Sie sie noch einmal aus.',
  },
  file_empty: {
    title: 'Diese Kopie ist für diesen Browser leer',
    meaning:
      'Es lässt sich also nichts vergleichen: Ein Browser kann eine leere Datei nicht von einer unterscheiden, deren Größe der Datenträger nicht nennt. Behalten Sie diese Kopie, öffnen Sie sie, und löschen Sie sie nur, wenn Sie sehen, dass nichts darin ist.',
  },
  waiting: { title: 'Wartet', meaning: 'Noch nicht verglichen. Behalten Sie Ihre Kopie.' },
  comparing: { title: 'Wird verglichen', meaning: 'Behalten Sie Ihre Kopie, bis das Ergebnis da ist.' },
}

const audit: Texts['audit'] = {
  receipt_malformed: 'Der Server hat als Quittung etwas geschickt, das keine ist.',
  receipt_altered: 'Eine Quittung ist nicht die, die ausgestellt wurde.',
  reading_differs: 'Der Server beschreibt eine Quittung anders, als ihre signierten Bytes es tun.',
  signature_invalid: 'Eine Signatur einer Quittung ist nicht gültig: Der Server hat diese Bytes nicht signiert.',
  unknown_key: 'Eine Quittung ist mit einem Schlüssel signiert, den der Server nicht veröffentlicht.',
  key_malformed: 'Die Liste der Signaturschlüssel des Servers widerspricht sich.',
  key_vanished:
    'Ein Signaturschlüssel, den sich dieser Browser gemerkt hat, fehlt in der Liste des Servers. Ein ehrlicher Server entfernt nie einen Schlüssel, außer er wird aus einer Sicherung wiederhergestellt, die älter ist als der Schlüssel.',
  key_changed:
    'Ein Signaturschlüssel, den sich dieser Browser gemerkt hat, wurde in der Liste des Servers geändert. Ein ehrlicher Server ändert nie einen Schlüssel, außer er wird aus einer älteren Sicherung wiederhergestellt.',
  key_not_active: 'Eine Quittung trägt ein Datum, an dem ihr Schlüssel nicht in Gebrauch war.',
  outside_era:
    'Eine Quittung trägt beide Signaturen eines Schlüssels, der damals galt, aber der Server erklärt, sie nicht signiert zu haben: Er hat vergessen oder leugnet, was er signiert hat, oder der Schlüssel wurde gestohlen.',
  moves_malformed:
    'Was der Server über seine Signaturschlüssel und früheren Namen sagt, widerspricht sich oder ist nicht unterschrieben.',
  moves_vanished:
    'Eine Erklärung über die Signaturschlüssel des Servers, die dieser Browser kennt, fehlt oder wurde geändert, oder ein neuer Schlüssel hat keine. Ein ehrlicher Server tut das nie, außer nach der Wiederherstellung einer älteren Sicherung.',
  wrong_server: 'Eine Antwort nennt einen anderen Server als diesen.',
  wrong_hash: 'Eine Quittung gilt für andere Bytes als die dieser Datei.',
  wrong_size: 'Eine Quittung gilt für eine andere Größe als die dieser Datei.',
  wrong_upload: 'Eine Quittung gilt für einen anderen Upload.',
  wrong_drop: 'Eine Quittung gilt für die Datei eines anderen Gastes.',
  wrong_asset: 'Eine Quittung gilt für eine andere Datei.',
  wrong_role: 'Eine Quittung gilt für einen Teil, den diese Datei nicht hat.',
  wrong_envelope: 'Die Quittung der Signatur nennt nicht, was signiert wurde.',
  receipt_missing: 'Eine Quittung fehlt: Der Server hat nicht signiert, dass er die ganze Datei hat.',
  chain_broken: 'Die Quittungen folgen nicht der Ordnung, die das Protokoll des Servers verlangt.',
  chain_forked:
    'Der Server widerspricht einer Quittung, an die sich dieser Browser erinnert: Er hat zwei verschiedene Protokolle unterschrieben. Ein ehrlicher Server tut das nie, auch nach einer Wiederherstellung nicht.',
  verdict_malformed: 'Die Antwort des Servers widerspricht sich, oder sie betrifft etwas anderes, als gefragt wurde.',
}

const receipts: Texts['receipts'] = {
  title: (name) => `Quittungen von ${name}`,
  close: 'Schließen',
  loading: 'Die Quittungen werden geholt und ihre Signaturen geprüft\u00a0…',
  checkedTitle: (count) =>
    plural(count, 'Die Quittung wurde geprüft', `Alle ${number(count)} Quittungen wurden geprüft`),
  checked:
    'In diesem Browser: Beide Signaturen jeder Quittung (Ed25519 und ML-DSA-65) sind gültig, mit Schlüsseln, die dieser Browser kennt. Die Quittungen nennen diesen Server und folgen der Ordnung seines Protokolls. Zusammen gelten sie für genau die Teile dieser Datei, die der Server auflistet.',
  checkedNames:
    'In diesem Browser: Beide Signaturen jeder Quittung (Ed25519 und ML-DSA-65) sind gültig, mit Schlüsseln, die dieser Browser kennt. Die Quittungen nennen diesen Server oder die Adresse, die er nach eigenen Angaben hatte, als ihr Schlüssel in Gebrauch war, und folgen der Ordnung seines Protokolls. Zusammen gelten sie für genau die Teile dieser Datei, die der Server auflistet.',
  formerName: (server, former, until) =>
    `Quittungen mit dem Server ${former} sind mit einem Schlüssel signiert, den ${server} als seinen eigenen aufführt. Er gibt an, bis ${until} ${former} gewesen zu sein.`,
  wrongTitle: 'Diese Quittungen sind nicht gültig',
  wrong:
    'Verlassen Sie sich nicht darauf. Behalten Sie Ihre eigene Kopie der Datei und fragen Sie den Betreiber dieses Servers.',
  landing: 'Sie kam von einem Gast an',
  roles: {
    original: 'Die Datei selbst',
    metadata: 'Ihr verschlüsselter Name und ihre Nachricht',
    provenance: 'Die Signatur Ihres Geräts',
    derivative: 'Ein Vorschaubild',
  },
  number: 'Nummer im Protokoll des Servers',
  server: 'Server',
  received: 'Signiert am',
  size: 'Größe, verschlüsselt',
  hash: 'Fingerabdruck der verschlüsselten Bytes',
  key: 'Signaturschlüssel',
  prior: 'Folgt auf',
  first: 'die erste Quittung dieses Servers',
  upload: 'Upload',
  ok: 'Geprüft',
  save: 'Diese Quittung herunterladen',
  saveOf: (receipt) => `Diese Quittung herunterladen: Nummer ${receipt}`,
  saveAll: 'Alle herunterladen',
  keep: 'Heben Sie heruntergeladene Quittungen auf: Mit einer Quittung kann der Server nicht leugnen, dass er die Datei hatte. Jeder kann sie ohne diese Seite prüfen, mit den veröffentlichten Schlüsseln des Servers.',
}

const keys: Texts['keys'] = {
  heading: 'Die Signaturschlüssel des Servers',
  intro:
    'Mit diesen Schlüsseln signiert der Server seine Quittungen. Dieser Browser merkt sie sich und bemerkt, wenn einer entfernt oder ersetzt wird.',
  since: (from) => `In Gebrauch seit ${from}`,
  until: (from, to) => `In Gebrauch von ${from} bis ${to}`,
  active: 'In Gebrauch',
  former: 'Nicht mehr in Gebrauch',
  known: 'Diesem Browser bekannt',
  fresh: 'Neu für diesen Browser',
  freshAll: 'Dieser Browser sieht die Schlüssel dieses Servers zum ersten Mal und merkt sie sich von jetzt an.',
  alarmTitle: 'Warnung: Die Signaturschlüssel des Servers haben sich unerlaubt geändert',
  alarm:
    'Ein ehrlicher Server fügt nur Schlüssel hinzu. Löschen Sie nichts, und verlassen Sie sich auf keine Quittung. Fragen Sie den Betreiber dieses Servers, aber nicht über diesen Server. Bis das geklärt ist, sagt hier keine Prüfung Ja.',
  accept:
    'Entweder hat der Betreiber den Server aus einer Sicherung wiederhergestellt, oder der Server wurde manipuliert: Dieser Browser kann das nicht unterscheiden. Sagt der Betreiber, dass es eine Wiederherstellung war, dann löschen Sie in den Einstellungen dieses Browsers die Daten dieser Seite, und melden Sie sich neu an. Der Browser merkt sich dann die Schlüssel, die der Server zu dieser Zeit zeigt. Quittungen und unfertige Uploads, die er von dieser Seite behält, werden mitgelöscht.',
  acceptLocal:
    'Entweder hat der Betreiber den Server aus einer Sicherung wiederhergestellt, oder der Server wurde manipuliert: Diese Seite kann das nicht unterscheiden. Die Schlüssel sind auf diesem Computer gemerkt. Sagt der Betreiber, dass es eine Wiederherstellung war, dann führen Sie in einem Terminal „blindkeep verify“ aus: Es nennt die Datei, die zu entfernen ist. Gemerkt werden dann die Schlüssel, die der Server danach zeigt.',
  remembered: 'Schlüssel, die sich dieser Browser gemerkt hat',
  cannotRemember:
    'Dieser Browser speichert nichts, vielleicht weil dies ein privates Fenster ist. Er kann nicht bemerken, wenn ein Schlüssel ersetzt wird.',
  id: 'Schlüssel',
}

const report: Texts['report'] = {
  title: 'Blindkeep: Prüfung der gespeicherten Dateien',
  server: 'Server',
  made: 'Erstellt',
  depth: 'Art der Prüfung',
  deep: 'gründlich (jedes Byte wird gelesen)',
  structural: 'schnell (die ganze Datei ist da und kann heruntergeladen werden)',
  sample: 'Stichprobe (schnell, und zufällige Stücke wurden heruntergeladen und geöffnet)',
  scope: 'Dateien',
  result: 'Ergebnis',
  list: 'Jede Datei',
  fileName: 'speicher-pruefung',
  signerRevoked: 'Signiert von einem Gerät, das Sie widerrufen haben',
}

const picker: Texts['picker'] = {
  title: 'Dateien zum Prüfen auswählen',
  close: 'Schließen',
  done: (count) => (count === 0 ? 'Keine auswählen' : `${files(count)} auswählen`),
  more: 'Mehr anzeigen',
  nameLoading: '…',
  nameFault: 'Name lässt sich nicht lesen',
  stored: (when) => `gespeichert ${when}`,
}

export const storage: Texts = {
  title: 'Speicher',
  intro: 'Wie viel Platz Sie belegen, und ob der Server Ihre Dateien wirklich gespeichert hat.',
  quota,
  check,
  results,
  kinds,
  sample,
  parts: { original: 'die Datei selbst', metadata: 'ihr verschlüsselter Name', provenance: 'ihre Signatur' },
  safe,
  compare,
  compareKinds,
  audit,
  refused: 'Der Server hat einen Teil der Anfrage abgelehnt.',
  receipts,
  keys,
  report,
  picker,
}
