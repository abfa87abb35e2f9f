const files = (count: number) => (count === 1 ? '1 Datei' : `${count.toLocaleString('de')} Dateien`)

export const guest: typeof import('../en/guest.ts').guest = {
  title: 'Dateien senden',
  subtitle: 'Nur wer Ihnen diesen Link gegeben hat, kann sie öffnen.',
  sealedHere: 'In diesem Browser versiegelt, bevor sie ihn verlassen',
  sealedHereMore: 'Nicht einmal der Server kann sie öffnen, ihre Namen sehen oder Ihre Nachricht lesen.',
  asking: 'Der Server wird gefragt, was dieser Link annimmt …',
  limits: {
    heading: 'Was dieser Link annimmt',
    perFile: (size) => `bis ${size} je Datei`,
    inAll: (size) => `noch ${size} insgesamt`,
    files: (count) => `noch ${files(count)}`,
    until: (when) => `offen bis ${when}`,
    passphrase: 'verlangt ein Kennwort',
    none: 'Dateien jeder Größe',
    full: 'Dieser Link ist voll',
    fullMore: 'Er nimmt nichts mehr an. Bitten Sie um einen neuen.',
  },
  choose: {
    label: 'Dateien zum Senden auswählen',
    drop: 'Dateien oder Ordner hier ablegen',
    dropNow: 'Loslassen, um sie hinzuzufügen',
    files: 'Dateien auswählen',
    folder: 'Ordner auswählen',
    camera: 'Foto aufnehmen',
    more: 'Mehr Dateien',
    pasteHint: 'Sie können eine Datei oder ein Bild auch einfügen.',
    reading: 'Ihre Auswahl wird gelesen …',
  },
  unsupported: {
    insecure: 'Hier kann diese Seite nichts versiegeln',
    insecureMore:
      'Browser versiegeln nur auf Seiten, deren Adresse mit https:// beginnt. Bitten Sie um einen solchen Link. Es wurde nichts gesendet.',
    old: 'Dieser Browser ist zu alt, um Ihre Dateien zu versiegeln',
    oldMore: 'Öffnen Sie den Link in einem neueren Firefox, Chrome, Edge oder Safari. Es wurde nichts gesendet.',
    broken: 'Auf dieser Seite ist etwas kaputtgegangen',
    brokenMore:
      'Laden Sie die Seite neu: Was der Server von Ihren Dateien hat, bleibt dort, und es geht weiter, wo es aufgehört hat.',
    reload: 'Seite neu laden',
  },
  faults: {
    malformed: {
      title: 'Das ist kein vollständiger Link',
      more: 'Ein Teil davon fehlt oder ist vertippt. Kopieren Sie ihn noch einmal aus der Nachricht, in der Sie ihn bekommen haben, bis zum letzten Zeichen.',
    },
    fragment_missing: {
      title: 'Das Ende des Links fehlt',
      more: 'Der Teil nach # ist der Schlüssel, mit dem Ihre Dateien versiegelt werden. Ohne ihn geht das nicht, also wird nichts gesendet. Bitten Sie um den ganzen Link, bis zum letzten Zeichen.',
    },
    key_swapped: {
      title: 'Ertappt: Der Server gab einen falschen Schlüssel',
      more: 'Der Schlüssel, den der Server zu diesem Link nennt, ist nicht der, den sein Besitzer hineingelegt hat. Wer ihn vertauscht hat, hätte Ihre Dateien öffnen können. Es wird nichts an ihn gesendet. Senden Sie hier nichts, und sagen Sie es der Person, von der Sie den Link haben, aber nicht über diesen Server.',
    },
    suite_unknown: {
      title: 'Diese Seite ist zu alt für den Link',
      more: 'Der Link verlangt eine Art der Versiegelung, die diese Seite nicht kennt. Laden Sie sie neu. Hilft das nicht, sagen Sie es der Person, von der Sie den Link haben.',
    },
    closed: {
      title: 'Dieser Link nimmt keine Dateien an',
      more: 'Er ist abgelaufen, verbraucht oder wurde zurückgezogen. Bitten Sie um einen neuen.',
    },
    busy: {
      title: 'Der Server ist beschäftigt',
      more: 'Er bittet um einen Moment Geduld. Diese Seite fragt von selbst wieder.',
    },
    unreachable: {
      title: 'Der Server ist nicht erreichbar',
      more: 'Diese Seite versucht es von selbst wieder. Sie können Ihre Dateien schon auswählen: Sie werden gesendet, sobald er antwortet.',
    },
    answer_broken: {
      title: 'Der Server antwortet nicht verständlich',
      more: 'Diese Seite fragt von selbst wieder. Bleibt es so, sagen Sie es der Person, von der Sie den Link haben.',
    },
  },
  closedWhileSending:
    'Der Link nimmt keine Dateien mehr an: Er ist abgelaufen, verbraucht oder wurde zurückgezogen. Was angekommen ist, bleibt.',
  askAgain: 'Jetzt noch einmal versuchen',
  storageRefused:
    'Dieser Browser merkt sich nichts, wie in einem privaten Fenster: Senden geht, aber nach einem Neuladen kann nichts fortgesetzt werden.',
  message: {
    heading: 'Ihre Nachricht',
    optional: 'Freiwillig. Wird versiegelt wie Ihre Dateien.',
    note: 'Text',
    noteHint: 'Geht mit jeder Datei mit.',
    sender: 'Ihr Name',
    passphrase: 'Kennwort',
    passphraseHint:
      'Die Person, von der Sie den Link haben, hat es Ihnen gesagt oder wird es tun. Es verlässt diesen Browser nicht.',
    passphraseRefused:
      'Der Server nimmt dieses Kennwort nicht an. Prüfen Sie es und versuchen Sie es noch einmal: Ihre Dateien warten.',
    passphraseMissing: 'Dieser Link verlangt ein Kennwort. Geben Sie es hier ein.',
    passphraseSend: 'Dieses Kennwort verwenden',
    show: 'Kennwort zeigen',
    hide: 'Kennwort verbergen',
  },
  send: (count) => `${files(count)} versiegeln und senden`,
  chosen: (count, size) => `${files(count)}, ${size}`,
  queue: {
    heading: 'Ihre Dateien',
    hidden: (count) => `… und ${files(count)} mehr, die oben mitgezählt ${count === 1 ? 'ist' : 'sind'}.`,
    chosen: 'Bereit',
    waiting: 'Wartet, bis sie an der Reihe ist',
    waitingForPassphrase: 'Wartet auf das Kennwort',
    preparing: 'Wird versiegelt',
    sending: (done, of) => `Wird gesendet, ${done} von ${of}`,
    finishing: 'Der Server prüft und speichert sie',
    landed: 'Angekommen',
    landedEarlier: (when) => `Angekommen ${when}`,
    paused: 'Angehalten',
    cancelled: 'Abgebrochen. Der Server wirft weg, was er davon hat.',
    retrying: 'Keine Verbindung. Es geht von selbst weiter.',
    failed: 'Nicht gesendet',
  },
  failures: {
    too_large: 'Zu groß für diesen Link.',
    too_many: 'Der Link nimmt keine weiteren Dateien an.',
    no_room: 'In diesem Link ist nicht mehr genug Platz.',
    no_connection: 'Keine Verbindung. Es geht von selbst weiter.',
    busy: 'Der Server bittet zu warten. Es geht von selbst weiter.',
    link_closed: 'Der Link nimmt keine Dateien mehr an. Bitten Sie um einen neuen.',
    link_full: 'Der Link ist voll. Bitten Sie um einen neuen, oder versuchen Sie es wieder, wenn andere fertig sind.',
    owner_full: 'Der Speicher der Person, die sie bekommt, ist voll. Sagen Sie es ihr; dann versuchen Sie es wieder.',
    damaged_on_the_way:
      'Sie ist nicht so angekommen, wie sie gesendet wurde; der Server hat nichts davon behalten. Versuchen Sie es wieder.',
    chunk_refused:
      'Etwas zwischen hier und dem Server lässt nichts in dieser Größe durch. Versuchen Sie ein anderes Netz.',
    file_changed: 'Die Datei hat sich seither geändert. Als neue Datei senden?',
    unreadable:
      'Die Datei ist nicht lesbar: Sie wurde geändert, verschoben oder gelöscht. Wählen Sie sie noch einmal aus.',
    too_large_for_server: 'Zu groß für diesen Server.',
    other_tab: 'Wird in einem anderen Tab dieses Browsers gesendet. Ist der geschlossen, geht es hier weiter.',
    key_swapped: 'Nicht gesendet: Der Server gab einen falschen Schlüssel.',
    refused:
      'Der Server hat sie abgelehnt. Versuchen Sie es wieder; geschieht es noch einmal, sagen Sie es der Person, von der Sie den Link haben.',
    unexpected: 'Etwas Unerwartetes ist schiefgegangen. Versuchen Sie es wieder.',
  },
  actions: {
    remove: (name) => `${name} herausnehmen`,
    cancel: (name) => `${name} abbrechen`,
    pause: (name) => `${name} anhalten`,
    resume: (name) => `Mit ${name} weitermachen`,
    retry: 'Noch einmal versuchen',
    asNew: 'Als neue Datei senden',
    again: 'Doch senden',
    pauseAll: 'Anhalten',
    resumeAll: 'Weiter',
    retryAll: (count) => `${files(count)} noch einmal versuchen`,
    removeUnfit: (count) => `${files(count)}, die nicht ${count === 1 ? 'passt' : 'passen'}, herausnehmen`,
  },
  unfit: (count) =>
    count === 1
      ? '1 Datei passt nicht in diesen Link. Die anderen gehen weiter.'
      : `${files(count)} passen nicht in diesen Link. Die anderen gehen weiter.`,
  unfitAlone: (count) =>
    count === 1 ? 'Diese Datei passt nicht in den Link.' : 'Diese Dateien passen nicht in den Link.',
  progress: {
    label: 'Alle Dateien',
    sending: (percent) => `${percent} gesendet`,
    sealing: (percent) => `Wird versiegelt, ${percent}`,
    landed: (landed, of) => `${landed.toLocaleString('de')} von ${files(of)} angekommen`,
    left: (duration) => `noch etwa ${duration}`,
    retrying: 'Keine Verbindung. Es geht von selbst weiter, sobald es wieder eine gibt.',
    paused: 'Angehalten. Was angekommen ist, bleibt einen Tag lang auf dem Server.',
    keepOpen: 'Lassen Sie diese Seite offen, bis alle angekommen sind.',
    passphrase: 'Das Kennwort fehlt noch',
  },
  done: {
    title: (count) => (count === 1 ? 'Ihre Datei ist angekommen' : `Alle ${files(count)} sind angekommen`),
    checked: (count) =>
      count === 1
        ? 'Der Server hat mit einer Quittung unterschrieben, dass er sie hat. Die Unterschriften wurden in diesem Browser geprüft.'
        : 'Der Server hat für jede mit einer Quittung unterschrieben, dass er sie hat. Die Unterschriften wurden in diesem Browser geprüft.',
    checking: 'Die Quittungen werden geprüft …',
    unproven: (count) => `Das sagt der Server; für ${files(count)} hat er es nicht bewiesen: siehe unten.`,
    close: 'Sie können diese Seite schließen oder noch mehr senden.',
    some: (landed, failed) => `${files(landed)} angekommen, ${failed.toLocaleString('de')} nicht gesendet.`,
  },
  receipt: {
    fetching: 'Die Quittung wird geholt und geprüft …',
    checked: (when, size) =>
      `Der Server hat am ${when} unterschrieben, dass er diese Datei hat, versiegelt, ${size}. In diesem Browser geprüft.`,
    missing: 'Der Server sagt, dass die Datei angekommen ist, aber ihre Quittung war nicht zu bekommen.',
    fetch: 'Quittung noch einmal holen',
    alarm:
      'Warnung: Die Quittung, die der Server für diese Datei gab, stimmt nicht. Behalten Sie die Datei, und sagen Sie es der Person, von der Sie den Link haben, aber nicht über diesen Server.',
    alarms: (count) =>
      `Warnung: ${count === 1 ? 'Eine Quittung, die der Server gab, stimmt' : `${count.toLocaleString('de')} Quittungen, die der Server gab, stimmen`} nicht. Behalten Sie Ihre Dateien, und sagen Sie es der Person, von der Sie den Link haben, aber nicht über diesen Server.`,
    number: 'Nummer der Quittung',
    server: 'Server',
    key: 'Schlüssel, der unterschrieb',
    hash: 'SHA-256 der versiegelten Datei',
    size: 'Größe der versiegelten Datei',
    bytes: (count) => `${count} Bytes`,
    algorithms: 'Unterschriften',
    both: 'Ed25519 und ML-DSA-65, beide geprüft',
    signedAt: 'Unterschrieben am',
    save: 'Diese Quittung speichern',
    saveAll: (count) => (count === 1 ? 'Quittung speichern' : `${count.toLocaleString('de')} Quittungen speichern`),
    print: 'Drucken',
    printTitle: 'Quittungen für Dateien, die mit Blindkeep gesendet wurden',
    printMore: (count) =>
      `${count === 1 ? 'Eine weitere Quittung steht' : `${count.toLocaleString('de')} weitere Quittungen stehen`} in der Datei, die die Seite speichert.`,
    forget: 'Auf diesem Gerät vergessen',
    forgetHint:
      'Namen und Quittungen bleiben hier einen Tag lang stehen, damit nach einem Neuladen kein Zweifel bleibt.',
  },
  unfinished: {
    heading: (count) => (count === 1 ? '1 Datei wurde nicht fertig' : `${files(count)} wurden nicht fertig`),
    more: (count) =>
      `Wählen Sie ${count === 1 ? 'sie' : 'diese'} noch einmal aus, um weiterzumachen. Dieser Browser weiß noch, wie weit es war, hat aber die ${count === 1 ? 'Datei' : 'Dateien'} selbst nicht.`,
    far: (percent) => `${percent} sind auf dem Server`,
    none: 'Noch nichts davon ist auf dem Server',
    gone: 'Der Server hat nichts mehr davon',
    goneAnew: 'Der Server hat nichts mehr davon. Wählen Sie sie noch einmal aus, um sie neu zu senden.',
    inOtherTab: 'Wird in einem anderen Tab dieses Browsers gesendet',
    choose: 'Noch einmal auswählen',
    discard: (name) => `${name} aufgeben`,
    closed: 'Der Link nimmt keine neuen Dateien an, aber mit diesen kann es noch weitergehen.',
  },
  confirm: {
    title: 'Diese Datei abbrechen?',
    text: (name, percent) => `${percent} von ${name} sind angekommen. Der Server wirft sie weg, wenn Sie abbrechen.`,
    yes: 'Datei abbrechen',
    no: 'Weitermachen',
    close: 'Schließen',
  },
  remarks: {
    already_there: (count, name) =>
      count === 1 ? `${name} steht schon in der Liste.` : `${files(count)} stehen schon in der Liste.`,
    already_landed: (count, name) =>
      count === 1
        ? `${name} ist schon angekommen und wird nicht zweimal gesendet.`
        : `${files(count)} sind schon angekommen und werden nicht zweimal gesendet.`,
    not_taken: (count, name) =>
      count === 1
        ? `${name} wurde nicht hinzugefügt: Der Link nimmt keine neuen Dateien an.`
        : `${files(count)} wurden nicht hinzugefügt: Der Link nimmt keine neuen Dateien an.`,
    nothing_chosen: () => 'Darin war keine Datei.',
    not_read: (count, name) =>
      count === 1
        ? `${name} wurde nicht hinzugefügt: Dieser Browser konnte nicht alles davon lesen. Wählen Sie es noch einmal aus.`
        : `${count.toLocaleString('de')} Dateien oder Ordner wurden nicht hinzugefügt, darunter ${name}: Dieser Browser konnte nicht alles davon lesen. Wählen Sie sie noch einmal aus.`,
  },
  live: {
    sending: (percent, landed, of) => `${percent} gesendet, ${landed} von ${files(of)} angekommen.`,
    failed: (count) =>
      count === 1 ? '1 Datei konnte nicht gesendet werden.' : `${files(count)} konnten nicht gesendet werden.`,
  },
  pageTitle: (percent) => `${percent} · Blindkeep`,
  pageTitleDone: 'Angekommen · Blindkeep',
  footer: 'Blindkeep gibt Dateien weiter, ohne sie lesen zu können, und quittiert, was es hat.',
  language: 'Sprache',
}
