const dateien = (count: number) => (count === 1 ? '1 Datei' : `${count} Dateien`)

type Texts = typeof import('../en/storage.ts').storage

const kinds: Texts['kinds'] = {
  held_deep: {
    title: 'Vorhanden: Jedes Byte wurde gelesen und stimmt',
    meaning:
      'Der Server hat die ganze versiegelte Datei für diese Prüfung neu gelesen, und es ist die, die Ihr Gerät signiert hat.',
  },
  held_structural: {
    title: 'Vorhanden, aber die Bytes wurden nicht gelesen',
    meaning:
      'Sie ist in ganzer Länge da und kann abgerufen werden. Ob jedes Byte noch stimmt, zeigt nur eine gründliche Prüfung.',
  },
  tampered: {
    title: 'Widerspruch',
    meaning:
      'Was der Server sagt, passt nicht zu dem, was signiert wurde. Verlassen Sie sich nicht darauf. Behalten Sie Ihre eigene Kopie.',
  },
  damaged: {
    title: 'Beschädigt',
    meaning:
      'Der Server hat seine Kopie gelesen, und die Bytes sind falsch. Behalten Sie Ihre eigene Kopie und laden Sie die Datei neu hoch.',
  },
  missing: {
    title: 'Nicht vorhanden',
    meaning:
      'Der Server kennt diese Datei nicht mehr: Sie wurde gelöscht oder ist verloren. Behalten Sie Ihre eigene Kopie.',
  },
  not_held: {
    title: 'Nicht vorhanden',
    meaning:
      'Der Server hat sie nicht ganz oder kann sie nicht lesen. Behalten Sie Ihre eigene Kopie und laden Sie die Datei neu hoch.',
  },
  withheld: {
    title: 'Zurückgehalten',
    meaning:
      'Die Bytes sind da, und der Server gibt sie nicht heraus: Der Betreiber hält sie zurück, oder die Kopie ist als beschädigt bekannt. Behalten Sie Ihre eigene Kopie und fragen Sie den Betreiber.',
  },
  not_vouched: {
    title: 'Nicht bestätigt',
    meaning: 'Der Server sagt nicht, dass er diese Datei ganz hat. Behalten Sie Ihre eigene Kopie.',
  },
  unreadable: {
    title: 'Lässt sich nicht öffnen',
    meaning: 'Was der Server von dieser Datei herausgibt, öffnet Ihr Schlüssel nicht. Behalten Sie Ihre eigene Kopie.',
  },
  other_file: {
    title: 'Eine andere Datei',
    meaning: 'Was aufbewahrt wird, ist nicht Byte für Byte dasselbe. Behalten Sie Ihre eigene Kopie.',
  },
  incomplete: {
    title: 'Unvollständig',
    meaning:
      'Ein Teil kam nie an: Das Hochladen wurde unterbrochen. Schließen Sie es ab und behalten Sie Ihre eigene Kopie.',
  },
  not_examined: {
    title: 'Trotz Auftrag nicht gelesen',
    meaning: 'Der Server sollte jedes Byte neu lesen und hat es nicht getan. Behalten Sie Ihre eigene Kopie.',
  },
  not_yet: {
    title: 'Noch nicht geprüft',
    meaning:
      'Der Server liest pro Stunde nur eine begrenzte Menge neu. Setzen Sie die Prüfung in einer Stunde fort und behalten Sie bis dahin Ihre eigene Kopie.',
  },
  unanswered: {
    title: 'Nicht geprüft',
    meaning:
      'Es kam keine Antwort, auf die Verlass wäre, und das ist kein Ja. Behalten Sie Ihre eigene Kopie und prüfen Sie noch einmal.',
  },
}

export const storage: Texts = {
  title: 'Speicher',
  intro: 'Wie viel Platz Sie belegen und ob der Server wirklich hat, was Sie ihm gegeben haben.',
  quota: {
    heading: 'Platz',
    states: {
      ok: { title: 'Es ist Platz', meaning: 'Nichts zu tun.' },
      soft_warning: {
        title: 'Ihr Speicher ist fast voll',
        meaning:
          'Hochgeladenes und Dateien von Gästen kommen noch an. Schaffen Sie Platz, bevor er voll ist: Verwerfen Sie im Eingang, was Sie nicht wollen, löschen Sie Dateien, die Sie nicht mehr brauchen, oder bitten Sie den Betreiber des Servers um mehr.',
      },
      hard_exceeded: {
        title: 'Ihr Speicher ist voll',
        meaning:
          'Es kommt nichts Neues an: Ihr Hochladen stoppt, und Gästen wird gesagt, dass kein Platz ist. Was aufbewahrt ist, bleibt. Verwerfen Sie im Eingang, löschen Sie Dateien, die Sie nicht mehr brauchen, oder bitten Sie den Betreiber des Servers um mehr Platz.',
      },
      grace_expired: {
        title: 'Ihr Speicher ist zu lange voll',
        meaning:
          'Es kommt nichts Neues an, und die Zeit, um Platz zu schaffen, ist vorbei. Was jetzt mit Ihren Dateien geschieht, liegt beim Betreiber des Servers. Schaffen Sie noch heute Platz oder sprechen Sie mit ihm.',
      },
    },
    used: (used, limit) => `${used} von ${limit} belegt`,
    usedUnlimited: (used) => `${used} belegt`,
    unlimited: 'Für Ihr Konto ist keine Grenze gesetzt.',
    soft: (limit) => `Ab ${limit} werden Sie gewarnt.`,
    left: (left) => `${left} frei`,
    none: 'nichts mehr frei',
    what: 'Gezählt werden Dateien in Alben, Dateien im Eingang und laufendes Hochladen, jeweils mit ihrem Siegel.',
    bar: 'Belegter Speicher',
    toPage: 'Speicher ansehen',
  },
  check: {
    heading: 'Ist wirklich alles da?',
    intro:
      'Fragt den Server nach jeder Datei und glaubt ihm nur, wo die Signaturen Ihrer eigenen Geräte und die signierten Quittungen des Servers zusammenpassen.',
    scope: 'Welche Dateien',
    all: (count) => (count === 1 ? 'Die eine Datei' : `Alle ${count} Dateien`),
    album: 'Ein Album',
    albumLabel: 'Album',
    albumUnnamed: 'Album ohne Namen',
    some: 'Nur einige',
    chosen: (count) => (count === 0 ? 'Noch keine gewählt' : `${dateien(count)} gewählt`),
    choose: 'Dateien wählen',
    depth: 'Wie genau',
    deep: 'Gründlich: jedes Byte neu lesen lassen',
    deepHint:
      'Findet auch Schäden. Der Server liest pro Stunde und Konto nur eine begrenzte Menge neu; was darüber hinausgeht, heißt „noch nicht geprüft“, und Sie machen später weiter.',
    structural: 'Schnell: Ist sie da, ganz, und abrufbar?',
    structuralHint: 'Dauert Augenblicke. Bemerkt nicht, wenn Bytes falsch geworden sind.',
    start: 'Jetzt prüfen',
    nothing: 'Es gibt nichts zu prüfen: Sie bewahren noch keine Dateien auf.',
    running: (done, total) => `${done} von ${dateien(total)} geprüft`,
    runningTitle: 'Prüfung läuft',
    cancel: 'Anhalten',
    canLeave: 'Sie können inzwischen auf andere Seiten gehen; die Prüfung läuft weiter, solange dieser Tab offen ist.',
    again: 'Neue Prüfung',
    resume: (count) => `${dateien(count)} prüfen, die noch nicht geprüft ${count === 1 ? 'ist' : 'sind'}`,
    stopped: 'Angehalten. Was bis dahin geprüft wurde, steht unten.',
    failed: 'Die Prüfung konnte nicht weitergehen.',
  },
  results: {
    heading: 'Ergebnis',
    summaries: {
      nothing: () => 'Es gab nichts zu prüfen.',
      problems: (bad, total) =>
        `${bad} von ${dateien(total)} ${bad === 1 ? 'hat' : 'haben'} ein Problem. Behalten Sie Ihre eigenen Kopien.`,
      unchecked: (open, total) =>
        `${open} von ${dateien(total)} ${open === 1 ? 'konnte' : 'konnten'} noch nicht geprüft werden. Das ist kein Ja.`,
      structural: (count) =>
        count === 1
          ? 'Die Datei ist in ganzer Länge da. Ihre Bytes wurden nicht alle gelesen.'
          : `Alle ${count} Dateien sind in ganzer Länge da. Ihre Bytes wurden nicht alle gelesen.`,
      all_read: (count) =>
        count === 1
          ? 'Die Datei ist vorhanden: Jedes Byte wurde gelesen und stimmt.'
          : `Alle ${count} Dateien sind vorhanden: Jedes Byte wurde gelesen und stimmt.`,
    },
    between: (from, to) =>
      from === to
        ? `Stand: ${from}, nach der Uhr des Servers.`
        : `Gefragt von ${from} bis ${to}, nach der Uhr des Servers; es gilt für diese Zeit.`,
    counts: {
      deep: (count) => `${count} vorhanden, jedes Byte gelesen`,
      structural: (count) => `${count} vorhanden, Bytes nicht gelesen`,
      problems: (count) => `${count} mit Problem`,
      unchecked: (count) => `${count} nicht geprüft`,
    },
    filter: 'Anzeigen',
    filterAll: 'Alle',
    filterProblems: 'Probleme und nicht Geprüftes',
    noProblems: 'Keine Datei mit Problem.',
    more: (count) => `${count} weitere anzeigen`,
    unnamed: 'Datei ohne Namen',
    concerned: (list) => `Zweifelhaft: ${list}.`,
    unread: (list) => `Nicht neu gelesen: ${list}.`,
    receipts: 'Quittungen',
    receiptsOf: (name) => `Quittungen von ${name}`,
    notAsked: 'Noch nicht gefragt',
    checkedHeading: 'Was bei jeder Datei geprüft wurde, die „vorhanden“ heißt',
    checkedDone: [
      'Sie ist von einem Ihrer eigenen Geräte signiert, und ihr Name und ihr Anfang lassen sich mit Ihrem Schlüssel öffnen.',
      'Die signierten Quittungen des Servers gelten genau diesen versiegelten Bytes: Beide Signaturen stimmen, ihre Reihenfolge ist die eines einzigen Verzeichnisses, und die Schlüssel sind die, die sich dieser Browser von diesem Server gemerkt hat.',
      'Zuletzt hat der Server von genau diesen Bytes gesagt, dass sie ganz da und abrufbar sind.',
    ],
    checkedDeep: 'Wo es dabeisteht, hat er für diese Antwort jedes Byte neu gelesen.',
    uncheckedHeading: 'Was das nicht zeigen kann',
    uncheckedList: [
      'Dass die Liste Ihrer Dateien vollständig ist. Der Server gibt sie, und was er weglässt, danach wird nicht gefragt. Wo Sie Kopien haben, findet der Vergleich unten, was fehlt.',
      'Dass der Server die Wahrheit über seine Platten sagt oder die Dateien morgen noch hat. Die Quittungen beweisen, dass er sie hatte; wer mehr braucht, lädt eine Datei herunter und öffnet sie.',
      'Dass eine Kopie anderswo dieselbe Datei ist. Vergleichen Sie sie dafür unten, bevor Sie sie löschen.',
      'Vorschaubilder. Gehen sie verloren, werden sie aus der Datei neu gemacht.',
    ],
    save: 'Bericht speichern',
    saveJson: 'Als JSON speichern',
    print: 'Drucken',
  },
  kinds,
  parts: { original: 'die Datei selbst', metadata: 'ihr versiegelter Name', provenance: 'ihre Signatur' },
  safe: {
    heading: 'Kann ich sie anderswo löschen?',
    no: 'Nein. Behalten Sie jede Kopie der Dateien mit Problem.',
    notYet: 'Noch nicht. Nicht alles konnte geprüft werden.',
    notDeep: 'Nein. Niemand hat die Bytes gelesen. Prüfen Sie gründlich oder vergleichen Sie Ihre Kopien.',
    compare:
      'Nicht deswegen allein. Der Server hat, was Ihre Geräte signiert haben; ob eine Kopie anderswo genau diese Datei ist, zeigt nur der Vergleich.',
    action: 'Meine Kopien vergleichen',
  },
  compare: {
    heading: 'Bevor Sie eigene Kopien löschen',
    intro:
      'Wählen Sie die Kopien auf diesem Gerät, die Sie löschen wollen. Jede wird hier gelesen und Byte für Byte mit dem verglichen, was aufbewahrt ist, und der Server muss seine neu lesen. Nichts wird hochgeladen oder gelöscht.',
    chooseFiles: 'Kopien wählen',
    chooseFolder: 'Ordner wählen',
    dropHere: 'oder hier ablegen',
    running: (done, total) => `${done} von ${dateien(total)} verglichen`,
    reading: (name) => `${name} wird verglichen`,
    cancel: 'Anhalten',
    again: 'Noch einmal vergleichen, was kein Ja bekam',
    clear: 'Leeren',
    yesHeading: (count) =>
      count === 1 ? 'Ja: Diese Kopie dürfen Sie löschen' : `Ja: Diese ${count} Kopien dürfen Sie löschen`,
    yes: (when) =>
      `Jede ist Byte für Byte eine Datei, die der Server hat: ${when}. Der Server hat dafür jedes Byte seiner eigenen Kopien gelesen, und seine signierten Quittungen stimmen. Das galt in diesem Moment; ein Versprechen für später ist es nicht.`,
    when: (from, to) => (from === to ? `bewiesen ${from}` : `bewiesen von ${from} bis ${to}`),
    noHeading: (bad, total) => {
      if (bad < total) return `Nein: Behalten Sie ${bad} von ${total} Kopien`
      return total === 1 ? 'Nein: Behalten Sie diese Kopie' : `Nein: Behalten Sie alle ${total} Kopien`
    },
    no: 'Diese bekamen kein Ja; löschen Sie sie nicht:',
    some: (count) =>
      count === 1 ? 'Die andere bekam ein eigenes Ja.' : `Die anderen ${count} bekamen je ein eigenes Ja.`,
    runningVerdict: 'Noch keine Antwort. Behalten Sie alles, bis alle verglichen sind.',
    keptAs: (name) => `Aufbewahrt als ${name}`,
    mine: 'Ihre Kopien',
  },
  compareKinds: {
    ...kinds,
    safe: {
      title: 'Diese Kopie darf gelöscht werden',
      meaning:
        'Die Datei wurde hier noch einmal versiegelt und ergab genau das, was aufbewahrt ist; die Quittungen dafür stimmen, und der Server hat jedes Byte seiner Kopie gelesen und für richtig befunden.',
    },
    no_match: {
      title: 'In dieser Größe ist nichts aufbewahrt',
      meaning: 'Keine Datei hier hat so viele Bytes, also ist diese nicht aufbewahrt. Behalten Sie Ihre Kopie.',
    },
    file_unread: {
      title: 'Diese Kopie war nicht zu lesen',
      meaning:
        'Sie wurde verschoben, geändert oder entfernt, während sie verglichen wurde. Behalten Sie sie und wählen Sie sie noch einmal.',
    },
    waiting: { title: 'Wartet', meaning: 'Noch nicht verglichen. Behalten Sie Ihre Kopie.' },
    comparing: { title: 'Wird verglichen', meaning: 'Behalten Sie Ihre Kopie, bis die Antwort da ist.' },
  },
  audit: {
    receipt_malformed: 'Was der Server als Quittung gegeben hat, ist keine.',
    receipt_altered: 'Eine Quittung ist nicht die, die ausgestellt wurde.',
    reading_differs: 'Eine Quittung wird anders angegeben, als ihre signierten Bytes sagen.',
    signature_invalid: 'Eine Signatur unter einer Quittung stimmt nicht: Diese Bytes hat der Server nicht signiert.',
    unknown_key: 'Eine Quittung ist mit einem Schlüssel signiert, den der Server nicht veröffentlicht.',
    key_malformed: 'Die Liste der Signaturschlüssel des Servers ist in sich nicht stimmig.',
    key_vanished:
      'Ein Signaturschlüssel, den dieser Browser schon gesehen hat, fehlt in der Liste des Servers. So eine Liste wird immer nur länger.',
    key_changed:
      'Ein Signaturschlüssel, den dieser Browser schon gesehen hat, wurde in der Liste des Servers geändert. Auf ehrliche Weise geschieht das nie.',
    key_not_active: 'Eine Quittung trägt eine Zeit, zu der ihr Schlüssel nicht in Gebrauch war.',
    wrong_server: 'Was kam, nennt einen anderen Server als diesen.',
    wrong_hash: 'Eine Quittung gilt anderen Bytes als denen dieser Datei.',
    wrong_size: 'Eine Quittung gilt einer anderen Länge als der dieser Datei.',
    wrong_upload: 'Eine Quittung gilt einem anderen Hochladen.',
    wrong_drop: 'Eine Quittung gilt der Datei eines anderen Gastes.',
    wrong_asset: 'Eine Quittung gilt einer anderen Datei.',
    wrong_role: 'Eine Quittung gilt einem Teil, den diese Datei nicht hat.',
    wrong_envelope: 'Die Quittung der Signatur nennt nicht, was signiert wurde.',
    receipt_missing: 'Eine Quittung fehlt: Der Server hat nicht signiert, dass er diese Datei ganz hat.',
    chain_broken: 'Die Quittungen folgen nicht so aufeinander, wie es das Verzeichnis des Servers verlangt.',
    verdict_malformed: 'Die Antwort des Servers widerspricht sich oder handelt von etwas anderem, als gefragt wurde.',
  },
  refused: 'Der Server hat einen Teil dessen verweigert, wonach er gefragt wurde.',
  receipts: {
    title: (name) => `Quittungen von ${name}`,
    close: 'Schließen',
    loading: 'Die Quittungen werden geholt und ihre Signaturen geprüft …',
    checkedTitle: (count) => (count === 1 ? 'Die Quittung wurde geprüft' : `Alle ${count} Quittungen wurden geprüft`),
    checked:
      'In diesem Browser: Beide Signaturen jeder Quittung (Ed25519 und ML-DSA-65) stimmen, mit Schlüsseln, die dieser Browser kennt; sie nennen diesen Server und folgen in seinem Verzeichnis aufeinander; und zusammen gelten sie genau den Teilen dieser Datei, wie der Server sie aufzählt.',
    wrongTitle: 'Diese Quittungen stimmen nicht',
    wrong:
      'Verlassen Sie sich nicht darauf. Behalten Sie Ihre eigene Kopie der Datei und fragen Sie den Betreiber des Servers.',
    landing: 'Sie kam von einem Gast an',
    roles: {
      original: 'Die Datei selbst',
      metadata: 'Ihr versiegelter Name und Notizen',
      provenance: 'Die Signatur Ihres Geräts',
      derivative: 'Ein Vorschaubild',
    },
    number: 'Nummer im Verzeichnis des Servers',
    received: 'Signiert am',
    size: 'Länge, versiegelt',
    hash: 'Fingerabdruck der versiegelten Bytes',
    key: 'Signiert mit Schlüssel',
    prior: 'Folgt auf',
    first: 'die erste Quittung dieses Servers',
    upload: 'Hochladen',
    ok: 'Geprüft',
    save: 'Diese Quittung speichern',
    saveOf: (number) => `Diese Quittung speichern: Nummer ${number}`,
    saveAll: 'Alle speichern',
    keep: 'Heben Sie gespeicherte Quittungen auf: Damit kann der Server nicht leugnen, dass er die Datei hatte. Jeder kann sie ohne diese Seite prüfen, mit den veröffentlichten Schlüsseln des Servers.',
  },
  keys: {
    heading: 'Die Signaturschlüssel des Servers',
    intro:
      'Damit signiert der Server seine Quittungen. Dieser Browser merkt sie sich und bemerkt so, wenn einer zurückgenommen oder ausgetauscht wird.',
    since: (from) => `In Gebrauch seit ${from}`,
    until: (from, to) => `In Gebrauch von ${from} bis ${to}`,
    active: 'Signiert jetzt',
    former: 'Signiert nicht mehr',
    known: 'Diesem Browser bekannt',
    fresh: 'Neu für diesen Browser',
    freshAll: 'Dieser Browser sieht die Schlüssel dieses Servers zum ersten Mal und merkt sie sich von jetzt an.',
    alarmTitle: 'Alarm: Die Signaturschlüssel des Servers sind nicht mehr, was sie waren',
    alarm:
      'Ein ehrlicher Server tut das nie: Seine Liste wird nur länger. Löschen Sie nichts, verlassen Sie sich auf keine Quittung und fragen Sie den Betreiber des Servers auf einem anderen Weg, was geschehen ist. Bis dahin sagt hier keine Prüfung Ja.',
    remembered: 'Was dieser Browser sich gemerkt hat',
    gone: 'Nicht mehr in der Liste',
    cannotRemember:
      'Dieser Browser behält nichts (ein privates Fenster?) und kann deshalb nicht bemerken, wenn ein Schlüssel ausgetauscht wird.',
    id: 'Schlüssel',
  },
  report: {
    title: 'Blindkeep: Prüfung der aufbewahrten Dateien',
    server: 'Server',
    made: 'Geschrieben',
    depth: 'Gefragt nach',
    deep: 'jedes Byte neu gelesen (gründlich)',
    structural: 'da, ganz und abrufbar (schnell)',
    scope: 'Dateien',
    result: 'Ergebnis',
    list: 'Jede Datei',
    fileName: 'speicher-pruefung',
  },
  picker: {
    title: 'Dateien zum Prüfen wählen',
    close: 'Schließen',
    done: (count) => (count === 0 ? 'Keine wählen' : `${dateien(count)} wählen`),
    more: 'Mehr anzeigen',
    nameLoading: '…',
    nameFault: 'Ein Name, der sich nicht lesen lässt',
    stored: (when) => `aufbewahrt ${when}`,
  },
}
