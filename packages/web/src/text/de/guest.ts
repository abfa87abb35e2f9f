import { files, number, plural } from './counts.ts'
import { operator } from './operator.ts'

export const guest: typeof import('../en/guest.ts').guest = {
  operator,
  title: 'Dateien senden',
  subtitle: 'Nur die Person, von der Sie diesen Link haben, kann sie öffnen.',
  sealedHere: 'In diesem Browser verschlüsselt, bevor sie gesendet werden',
  sealedHereMore: 'Nicht einmal der Server kann Ihre Dateien öffnen, ihre Namen sehen oder Ihre Nachricht lesen.',
  ownersWords: {
    from: 'Wer diesen Link angelegt hat, sagt:',
    name: 'Name:',
    unchecked: 'Den Namen sagt die Person selbst. Hier hat ihn nichts geprüft.',
  },
  exposed: {
    title: 'Server haben den Schlüssel dieses Links gesehen',
    more: 'Ein Programm, das den Link weitergegeben hat, etwa ein Mailfilter, hat ihn verändert. So kam sein Schlüssel zu Servern, die ihn nicht haben sollten, auch zu diesem. Sie können lesen, was der Besitzer des Links Ihnen schreibt, und über den Link Dateien senden. Was Sie senden, können sie nicht öffnen. Wenn das wichtig ist, bitten Sie auf einem anderen Weg um einen neuen Link, bevor Sie etwas senden.',
  },
  asking: 'Es wird geprüft, was dieser Link annimmt\u00a0…',
  limits: {
    heading: 'Was dieser Link annimmt',
    perFile: (size) => `bis ${size} je Datei`,
    inAll: (size) => `über diesen Link insgesamt bis ${size}`,
    files: (count) => `noch ${files(count)}`,
    until: (when) => `offen bis ${when}`,
    passphrase: 'fragt nach einem Kennwort',
    onlyOne: 'nimmt nur eine Datei an',
    kinds: (kinds) => `nur ${kinds}`,
    none: 'Dateien jeder Größe',
  },
  choose: {
    label: 'Dateien zum Senden auswählen',
    drop: 'Dateien oder Ordner hier ablegen',
    dropOne: 'Datei hier ablegen',
    dropAgain: 'Sie können eine unfertige Datei auch hier ablegen.',
    dropNow: 'Loslassen, um sie hinzuzufügen',
    files: 'Dateien auswählen',
    file: 'Datei auswählen',
    otherFile: 'Andere Datei auswählen',
    folder: 'Ordner auswählen',
    camera: 'Foto aufnehmen',
    more: 'Weitere hinzufügen',
    carries:
      'Weitere Dateien werden mit dem gesendet, was Sie zu diesen geschrieben haben. Sie können es vor dem Senden ändern.',
    pasteHint: 'Sie können eine Datei oder ein Bild auch einfügen.',
    reading: 'Ihre Auswahl wird gelesen\u00a0…',
  },
  unsupported: {
    insecure: 'Diese Seite kann hier keine Dateien verschlüsseln',
    insecureMore:
      'Browser verschlüsseln nur auf Seiten, deren Adresse mit https:// beginnt. Bitten Sie die Person, von der Sie den Link haben, um eine solche Adresse. Es wurde nichts gesendet.',
    old: 'Dieser Browser ist zu alt, um Ihre Dateien zu verschlüsseln',
    oldMore: 'Öffnen Sie den Link in einem neueren Firefox, Chrome, Edge oder Safari. Es wurde nichts gesendet.',
    broken: 'Auf dieser Seite ist ein Fehler aufgetreten',
    brokenMore:
      'Laden Sie die Seite neu. Was der Server schon erhalten hat, behält er, und Sie können dort weitermachen, wo das Senden aufgehört hat.',
    brokenUnstored:
      'Laden Sie die Seite neu. Die Dateien, die angekommen sind, behält der Server. Wie weit die anderen sind, ist hier nicht gespeichert: Senden Sie sie noch einmal von Anfang an.',
    reload: 'Seite neu laden',
  },
  faults: {
    malformed: {
      title: 'Dieser Link ist nicht vollständig',
      more: 'Ein Teil davon fehlt oder ist falsch geschrieben. Kopieren Sie den ganzen Link noch einmal aus der Nachricht, bis zum letzten Zeichen.',
    },
    fragment_missing: {
      title: 'Das Ende des Links fehlt',
      more: 'Der Teil nach # ist der Schlüssel, mit dem Ihre Dateien verschlüsselt werden. Ohne ihn kann nichts gesendet werden. Bitten Sie um den ganzen Link, bis zum letzten Zeichen.',
    },
    key_swapped: {
      title: 'Der Schlüssel des Servers passt nicht zu diesem Link',
      more: 'Vielleicht ist ein Zeichen des Links falsch: Kopieren Sie den ganzen Link noch einmal. Wenn er kopiert ist und dies bleibt, hat der Server einen falschen Schlüssel geschickt, mit dem eine andere Person Ihre Dateien öffnen könnte. Es wird nichts gesendet. Senden Sie hier nichts, und sagen Sie es der Person, von der Sie den Link haben, aber nicht über diesen Server.',
    },
    words_altered: {
      title: 'Dieser Link stimmt nicht ganz',
      more: 'Vielleicht ist ein Zeichen falsch, und dann könnte niemand Ihre Dateien öffnen. Es wird nichts gesendet. Kopieren Sie den ganzen Link noch einmal aus der Nachricht. Wenn dies bleibt, hat der Server verändert, was die Person geschrieben hat, die den Link angelegt hat: Bitten Sie sie um einen neuen Link.',
    },
    suite_unknown: {
      title: 'Diese Seite ist zu alt für den Link',
      more: 'Der Link braucht eine Art der Verschlüsselung, die diese Seite nicht kennt. Laden Sie die Seite neu. Wenn das nicht hilft, sagen Sie es der Person, von der Sie den Link haben.',
    },
    server_moved: {
      title: 'Der Server ist umgezogen',
      more: 'Er ist jetzt an einer anderen Adresse, und der Link führt dorthin: Öffnen Sie ihn noch einmal. Was angekommen ist, ist dort. Dateien, die nicht ganz gesendet waren, beginnen dort neu.',
    },
    other_address: {
      title: 'Dieser Server sagt, dass er eine andere Adresse hat',
      more: 'Er ist vielleicht umgezogen, oder er hat mehrere Adressen. Hier wird nichts gesendet, denn seine Quittungen gelten nur dort. Wenn Sie diese Adresse kennen, öffnen Sie den Link mit ihr statt seines Anfangs. Bitten Sie sonst die Person, von der Sie den Link haben, um einen neuen.',
    },
    busy: {
      title: 'Der Server ist ausgelastet',
      more: 'Diese Seite versucht es von selbst noch einmal. Sie können Ihre Dateien schon auswählen: Sie werden gesendet, sobald der Server Zeit hat.',
    },
    unreachable: {
      title: 'Der Server ist nicht erreichbar',
      more: 'Diese Seite versucht es von selbst noch einmal. Sie können Ihre Dateien schon auswählen: Sie werden gesendet, sobald der Server antwortet.',
    },
    server_failed: {
      title: 'Der Server hat ein Problem',
      more: 'Er hat mit einem Fehler geantwortet. Diese Seite versucht es von selbst noch einmal, mindestens einmal in der Minute. Sie können Ihre Dateien schon auswählen: Sie werden gesendet, sobald der Server wieder arbeitet.',
    },
    answer_broken: {
      title: 'Die Antwort des Servers ist nicht lesbar',
      more: 'Diese Seite versucht es von selbst noch einmal. Wenn das nicht hilft, sagen Sie es der Person, von der Sie den Link haben.',
    },
    given_up: {
      title: 'Der Server hat einen Tag lang nicht geantwortet',
      more: 'Diese Seite versucht es nicht mehr. Ob der Server noch hat, was angekommen war, ist erst bekannt, wenn er antwortet. Versuchen Sie es jetzt noch einmal, oder öffnen Sie den Link an einem anderen Tag.',
    },
  },
  standing: {
    closed: {
      title: 'Dieser Link nimmt keine Dateien an',
      more: 'Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
    },
    closed_for_new: {
      title: 'Dieser Link nimmt keine Dateien mehr an',
      more: 'Dateien, die angekommen sind, bleiben dort. Wenn Sie noch etwas senden wollen, bitten Sie um einen neuen Link.',
    },
    full: {
      title: 'Dieser Link ist voll',
      more: 'Er nimmt keine Dateien mehr an. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
    },
    full_for_new: {
      title: 'Dieser Link ist voll',
      more: 'Er nimmt keine Dateien mehr an. Dateien, die angekommen sind, bleiben dort. Wenn Sie noch etwas senden wollen, bitten Sie um einen neuen Link.',
    },
    inbox_full: {
      title: 'Dieser Eingang ist zurzeit voll',
      more: 'Dort warten zu viele Dateien. Bitten Sie die Person, von der Sie den Link haben, einige herauszunehmen, und sehen Sie dann noch einmal nach.',
    },
    inbox_full_for_new: {
      title: 'In diesem Eingang ist zurzeit kein Platz für weitere Dateien',
      more: 'Dort warten zu viele Dateien. Was angekommen ist, bleibt dort. Um mehr zu senden, bitten Sie die Person, von der Sie den Link haben, einige herauszunehmen, und sehen Sie dann noch einmal nach.',
    },
    no_room: {
      title: 'Im Moment ist kein Platz',
      more: 'Entweder dieser Link oder der Speicher der Person, die die Dateien bekommt, ist voll. Sagen Sie es der Person, von der Sie den Link haben, und sehen Sie dann noch einmal nach.',
    },
    no_room_for_new: {
      title: 'Im Moment ist kein Platz für weitere Dateien',
      more: 'Entweder dieser Link oder der Speicher der Person, die die Dateien bekommt, ist voll. Dateien, die angekommen sind, bleiben dort. Wenn Sie noch etwas senden wollen, sagen Sie es der Person, von der Sie den Link haben, und sehen Sie dann noch einmal nach.',
    },
    why: {
      closed: 'Er ist abgelaufen, verbraucht oder widerrufen.',
      usedUp: 'Er war für eine Datei, und die hat dieser Browser gesendet.',
      expired: (when) => `Er war bis ${when} offen.`,
    },
    elsewhere:
      'Haben Sie Dateien mit einem anderen Browser oder Gerät gesendet? Nur dort werden sie angezeigt und können weiter gesendet werden.',
    ownerHears: 'Wer diesen Link angelegt hat, wird sehen, dass Dateien nicht gesendet werden konnten.',
    lookAgain: 'Noch einmal nachsehen',
  },
  openAgain: 'Den Link noch einmal öffnen',
  receiptsFirst: 'Laden Sie vorher die Quittungen unten herunter: An der neuen Adresse hat dieser Browser sie nicht.',
  askAgain: 'Jetzt noch einmal versuchen',
  notAsked:
    'Wer diesen Link angelegt hat, fragt etwas, bevor Sie senden, und diese Seite konnte es nicht laden. Vorher wird nichts gesendet.',
  storageRefused:
    'Dieser Browser speichert nichts, vielleicht weil dies ein privates Fenster ist. Sie können Dateien senden, aber nach einem Neuladen kann eine unfertige Datei nicht fortgesetzt werden.',
  message: {
    heading: 'Ihre Nachricht',
    optional: 'Freiwillig. Wird verschlüsselt wie Ihre Dateien.',
    remembered: 'Dieser Browser merkt sie sich, bis alle Dateien angekommen sind.',
    again: 'Was Sie zu den Dateien davor geschrieben haben; sie behalten es. Ändern Sie es hier für die nächsten.',
    note: 'Nachricht',
    noteHint: 'Wird mit jeder Datei gesendet.',
    sender: 'Ihr Name',
    passphrase: 'Kennwort',
    passphraseHint:
      'Sie bekommen es von der Person, von der Sie den Link haben. Großschreibung, Leerzeichen und Bindestriche sind egal. Es verlässt diesen Browser nicht.',
    passphraseRefused:
      'Der Server hat dieses Kennwort abgelehnt. Prüfen Sie es und versuchen Sie es noch einmal. Ihre Dateien warten so lange.',
    passphraseMissing: 'Dieser Link fragt nach einem Kennwort. Geben Sie es hier ein.',
    passphraseSend: 'Dieses Kennwort verwenden',
    show: 'Kennwort anzeigen',
    hide: 'Kennwort verbergen',
  },
  send: (count) => `${files(count)} senden`,
  chosen: (count, size) => `${files(count)}, ${size}`,
  queue: {
    heading: 'Ihre Dateien',
    hidden: (count) =>
      `… und ${number(count)} weitere ${plural(count, 'Datei, die oben mitgezählt ist', 'Dateien, die oben mitgezählt sind')}.`,
    chosen: 'Bereit',
    waiting: 'Wartet',
    waitingForPassphrase: 'Wartet auf das Kennwort',
    preparing: 'Wird verschlüsselt',
    sending: (done, of) => `Wird gesendet, ${done} von ${of}`,
    finishing:
      'Der Server hat sie ganz erhalten und prüft und speichert sie. Bei einer großen Datei dauert das Minuten.',
    arrived: { now: 'Angekommen', earlier: (when) => `Angekommen am ${when}` },
    landed: { now: 'Gesendet', earlier: (when) => `Gesendet am ${when}` },
    paused: 'Angehalten',
    cancelled: 'Abgebrochen. Der Server löscht, was er davon erhalten hat.',
    failed: 'Nicht gesendet',
  },
  failures: {
    too_large: 'Zu groß für diesen Link.',
    too_many: 'Der Link nimmt keine weiteren Dateien an.',
    only_one: 'Der Link nimmt nur eine Datei an, und das ist eine andere.',
    no_room:
      'Dafür ist im Moment kein Platz, entweder auf diesem Link oder im Speicher der Person, die die Dateien bekommt.',
    wrong_kind: 'Keine Art von Datei, um die dieser Link bittet.',
    wrong_content: 'Der Inhalt ist nicht, was der Name sagt: keine Art von Datei, um die dieser Link bittet.',
    no_connection: 'Keine Verbindung. Das Senden geht von selbst weiter.',
    busy: 'Der Server ist ausgelastet. Das Senden geht von selbst weiter.',
    storage_unavailable: 'Der Server kann jetzt nichts speichern. Diese Seite versucht es von selbst noch einmal.',
    disk_full: 'Der Server hat jetzt keinen Platz dafür. Diese Seite versucht es von selbst noch einmal.',
    little_room: 'Der Server hat wenig Platz: Die Dateien werden nacheinander gesendet.',
    server_failed: 'Der Server hat ein Problem. Diese Seite versucht es von selbst noch einmal.',
    link_closed: 'Der Link nimmt keine Dateien mehr an. Bitten Sie um einen neuen.',
    link_full: 'Der Link ist voll. Bitten Sie um einen neuen.',
    owner_full:
      'Der Speicher der Person, die die Dateien bekommt, ist voll. Von selbst geschieht nichts: Bitten Sie sie, Platz zu schaffen, und versuchen Sie es dann noch einmal.',
    inbox_full:
      'Dieser Eingang ist voll: Dort warten zu viele Dateien. Von selbst geschieht nichts: Bitten Sie die Person, die die Dateien bekommt, einige herauszunehmen, und versuchen Sie es dann noch einmal.',
    damaged_on_the_way:
      'Die Datei ist nicht so angekommen, wie sie gesendet wurde. Der Server hat nichts davon behalten. Versuchen Sie es noch einmal.',
    chunk_refused:
      'Etwas zwischen diesem Browser und dem Server blockiert Daten dieser Größe. Versuchen Sie es in einem anderen Netz.',
    file_changed: 'Die Datei wurde geändert, seit das Senden begonnen hat. Als neue Datei senden?',
    unreadable:
      'Die Datei ist nicht lesbar: Sie wurde geändert, verschoben oder gelöscht. Wählen Sie sie noch einmal aus.',
    too_large_for_server: 'Zu groß für diesen Server.',
    other_tab:
      'Ein anderer Tab dieses Browsers sendet diese Datei. Wenn er geschlossen wird, geht das Senden hier weiter.',
    link_faulty: 'Nicht gesendet: Diese Seite kann den Link nicht verwenden.',
    key_swapped: 'Nicht gesendet: Der Server hat einen falschen Schlüssel geschickt.',
    server_moved: 'Nicht gesendet: Der Server ist umgezogen. Öffnen Sie Ihren Link noch einmal.',
    other_address: 'Nicht gesendet: Der Server sagt, dass er eine andere Adresse hat.',
    refused:
      'Der Server hat die Datei abgelehnt. Versuchen Sie es noch einmal. Wenn es wieder geschieht, sagen Sie es der Person, von der Sie den Link haben.',
    unexpected: 'Ein unerwarteter Fehler ist aufgetreten. Versuchen Sie es noch einmal.',
  },
  actions: {
    remove: (name) => `${name} entfernen`,
    cancel: (name) => `${name} abbrechen`,
    pause: (name) => `${name} anhalten`,
    resume: (name) => `${name} fortsetzen`,
    retry: 'Noch einmal versuchen',
    asNew: 'Als neue Datei senden',
    again: 'Doch senden',
    pauseAll: 'Anhalten',
    resumeAll: 'Fortsetzen',
    retryAll: (count) => `${files(count)} noch einmal versuchen`,
    removeUnfit: (count) => `${files(count)}, die nicht ${plural(count, 'passt', 'passen')}, entfernen`,
  },
  unfit: (count, others) =>
    `${files(count)} ${plural(count, 'passt', 'passen')} nicht zu diesem Link. ${plural(others, 'Die andere kann', 'Die anderen können')} gesendet werden.`,
  onlyOne:
    'Dieser Link nimmt nur eine Datei an: die, die bereit ist. Um stattdessen eine andere zu senden, entfernen Sie jene aus der Liste.',
  wanted: (kinds) => `Wer diesen Link angelegt hat, möchte Dateien dieser Art: ${kinds}.`,
  unfitRest: (count) =>
    `${files(count)} ${plural(count, 'passt', 'passen')} jetzt nicht zu diesem Link. Sagen Sie es der Person, von der Sie ihn haben.`,
  unfitAlone: (count) =>
    `${plural(count, 'Diese Datei passt jetzt nicht zu diesem Link.', 'Diese Dateien passen jetzt nicht zu diesem Link.')} Sagen Sie es der Person, von der Sie ihn haben.`,
  ownerHearsLimits:
    'Wer diesen Link angelegt hat, wird sehen, warum Dateien nicht passten, aber nicht, welche es waren. Von Dateien anderer Art erfährt diese Person nichts.',
  ownerHears: 'Wer diesen Link angelegt hat, wird sehen, warum Dateien nicht passten, aber nicht, welche es waren.',
  progress: {
    label: 'Alle Dateien',
    sending: (percent) => `${percent} gesendet`,
    sealing: (percent) => `Wird verschlüsselt, ${percent}`,
    arrived: (arrived, of, earlier) =>
      `${number(arrived)} von ${files(of)} angekommen${earlier > 0 ? `, und ${number(earlier)} vor diesem Besuch` : ''}`,
    left: (duration) => `noch etwa ${duration}`,
    paused: 'Angehalten. Was angekommen ist, behält der Server einen Tag lang.',
    keepOpen: 'Lassen Sie diese Seite offen, bis alle Dateien angekommen sind.',
    keepOpenOrReturn:
      'Lassen Sie diese Seite offen, bis alle Dateien angekommen sind. Wenn Sie sie schließen, öffnen Sie den Link wieder in diesem Browser, um weiterzumachen.',
    passphrase: 'Wartet auf das Kennwort',
  },
  troubles: {
    no_connection: (since) =>
      `Keine Verbindung seit ${since}. Prüfen Sie Ihr Netz. Das Senden geht von selbst weiter, sobald die Verbindung wieder da ist; was angekommen ist, bleibt einen Tag lang dort.`,
    busy: (since, until) =>
      `Der Server ist seit ${since} ausgelastet. Diese Seite versucht es von selbst weiter, bis er Zeit hat.${until === undefined ? '' : ` Nächster Versuch: ${until}.`}`,
    storage_unavailable: (since) =>
      `Seit ${since} kann der Server nichts speichern: Seine Platte arbeitet nicht. Diese Seite versucht es mindestens einmal in der Minute noch einmal. Wenn es so bleibt, sagen Sie es der Person, von der Sie den Link haben.`,
    disk_full: (since) =>
      `Seit ${since} hat der Server keinen Platz für Ihre Dateien: Seine Platte ist voll. Diese Seite versucht es mindestens einmal in der Minute noch einmal. Wenn es so bleibt, sagen Sie es der Person, von der Sie den Link haben.`,
    little_room: (since) =>
      `Seit ${since} hat der Server wenig Platz: Die Dateien werden nacheinander gesendet. Lassen Sie diese Seite offen.`,
    server_failed: (since) =>
      `Seit ${since} antwortet der Server mit Fehlern. Diese Seite versucht es mindestens einmal in der Minute noch einmal. Wenn es so bleibt, sagen Sie es der Person, von der Sie den Link haben.`,
  },
  done: {
    title: (count) =>
      plural(
        count,
        'Ihre Datei ist angekommen',
        count === 2 ? 'Beide Dateien sind angekommen' : `Alle ${files(count)} sind angekommen`,
      ),
    checked: (count) =>
      plural(
        count,
        'Der Server hat eine Quittung dafür signiert, dass er Ihre verschlüsselte Datei hat. Dieser Browser hat die Signaturen geprüft.',
        'Der Server hat für jede Datei eine Quittung dafür signiert, dass er sie verschlüsselt hat. Dieser Browser hat die Signaturen geprüft.',
      ),
    checkedArrived:
      'Für alles, was angekommen ist, hat der Server Quittungen signiert, dass er es verschlüsselt hat. Dieser Browser hat die Signaturen geprüft.',
    earlier: (earlier, all) =>
      `Vor diesem Besuch ${plural(earlier, 'ist 1 weitere', `sind ${number(earlier)} weitere`)} angekommen. Liste und Quittungen unten gelten für alle ${files(all)}.`,
    checking: 'Die Quittungen werden geprüft\u00a0…',
    unproven: (count) => `Für ${files(count)} hat der Server keine gültige Quittung gegeben. Siehe unten.`,
    close: 'Sie können diese Seite schließen oder weitere Dateien senden.',
    onlyOne: 'Der Link nimmt eine Datei an, und das war alles. Sie können diese Seite schließen.',
    full: 'Der Link nimmt keine Dateien mehr an. Sie können diese Seite schließen.',
    rest: 'Die Liste darunter zeigt, was Sie tun können.',
    arrived: (count) => `${files(count)} angekommen`,
    notProven: (count) => `${files(count)} ohne geprüfte Quittung gesendet`,
    waiting: (count) => `${number(count)} weitere ${plural(count, 'ist', 'sind')} noch nicht gesendet`,
    notSent: (count) => `${number(count)} nicht gesendet`,
  },
  sentWith: {
    all: (count) =>
      plural(
        count,
        'Verschlüsselt mit dieser Datei',
        `Verschlüsselt mit ${count === 2 ? 'beiden' : `allen ${number(count)}`} Dateien`,
      ),
    some: (count) => plural(count, 'Verschlüsselt mit 1 Datei', `Verschlüsselt mit ${number(count)} Dateien`),
    more: '… und weiteres, das bei jeder Datei steht.',
    unsigned: 'Mit der Datei verschlüsselt gesendet. Der Server hat es nicht gesehen und nicht unterschrieben:',
  },
  receipt: {
    short: 'Quittung geprüft',
    fetching: 'Die Quittung wird geholt und geprüft\u00a0…',
    checked: (when, size) =>
      `Am ${when} hat der Server signiert, dass er diese Datei hat (${size} verschlüsselt). In diesem Browser geprüft.`,
    limits:
      'Eine Quittung beweist, dass der Server zu dieser Zeit, nach seiner Uhr, verschlüsselte Bytes mit diesem Hash hatte. Sie zeigt keiner anderen Person, welche Datei das war, über welchen Link sie kam, an wen, und nicht, dass sie sich dort öffnen ließ: Nichts davon ist signiert.',
    missing:
      'Der Server sagt, dass er die Datei hat, aber ihre Quittung konnte nicht geholt werden. Behalten Sie die Datei.',
    fetch: 'Quittung noch einmal holen',
    alarm:
      'Warnung: Die Quittung des Servers für diese Datei ist nicht gültig. Behalten Sie die Datei. Sagen Sie es der Person, von der Sie den Link haben, aber nicht über diesen Server.',
    alarms: (count) =>
      `Warnung: ${plural(count, 'Eine Quittung dieses Servers ist', `${number(count)} Quittungen dieses Servers sind`)} nicht gültig. Behalten Sie Ihre Dateien. Sagen Sie es der Person, von der Sie den Link haben, aber nicht über diesen Server.`,
    number: 'Nummer der Quittung',
    server: 'Server',
    key: 'Signaturschlüssel',
    hash: 'SHA-256 der verschlüsselten Datei',
    size: 'Größe der verschlüsselten Datei',
    bytes: (count) => `${count} Byte`,
    algorithms: 'Signaturen',
    both: 'Ed25519 und ML-DSA-65, beide geprüft',
    signedAt: 'Signiert am',
    save: 'Diese Quittung herunterladen',
    saveAll: (count) => plural(count, 'Quittung herunterladen', `${number(count)} Quittungen herunterladen`),
    print: 'Drucken',
    proof: 'Nachweis herunterladen (mit dem Schlüssel der Datei)',
    proofs: 'Nachweise herunterladen (mit dem Schlüssel jeder Datei)',
    proofShows:
      'Wer einen Nachweis und dieselbe Datei hat, kann prüfen, dass der Server zur genannten Zeit, nach seiner Uhr, signiert hat, dass er genau diese Datei verschlüsselt hatte.',
    proofHides:
      'Ein Nachweis zeigt nicht, wer die Datei gesendet hat, über welchen Link, an wen, und nicht, dass sie sich dort öffnen ließ. Er zeigt auch nicht, dass der Server sie noch hat.',
    proofTooLate:
      'Für Dateien eines früheren Besuchs gibt es nur Quittungen: Der Nachweis ließ sich nur in dem Besuch speichern, der sie gesendet hat.',
    proofIs: (name) => `Der Nachweis zu dieser Datei ist die Datei ${name}.`,
    printTitle: 'Quittungen für Dateien, die mit Blindkeep gesendet wurden',
    printMore: (count) =>
      `${plural(count, '1 weitere Quittung steht', `${number(count)} weitere Quittungen stehen`)} in der Datei, die Sie auf der Seite herunterladen können.`,
  },
  forget: {
    hint: 'Namen und Quittungen bleiben hier einen Tag lang aufgelistet, auch nach einem Neuladen.',
    open: 'Auf diesem Gerät vergessen',
    title: 'Vergessen, was Sie gesendet haben?',
    lost: (count) =>
      `Dieser Browser löscht ${plural(count, 'Name und Quittung von 1 Datei', `Namen und Quittungen von ${files(count)}`)}, und Ihre Nachricht, wenn Sie eine geschrieben haben. Quittungen kann er nicht noch einmal holen: Laden Sie sie vorher herunter, wenn Sie sie behalten wollen.`,
    keys: 'Die Seite vergisst auch die Schlüssel der Dateien, die sie nur hat, bis sie geschlossen oder neu geladen wird: Danach lässt sich kein Nachweis mehr speichern.',
    kept: 'Auf dem Server wird nichts gelöscht.',
    yes: 'Vergessen',
    no: 'Liste behalten',
  },
  unfinished: {
    heading: (count) => `${files(count)} ${plural(count, 'ist', 'sind')} nicht fertig`,
    more: (count) =>
      plural(
        count,
        'Wählen Sie die Datei noch einmal aus, um weiterzumachen. Dieser Browser hat sich den Fortschritt gemerkt, aber nicht die Datei selbst.',
        'Wählen Sie die Dateien noch einmal aus, um weiterzumachen. Dieser Browser hat sich den Fortschritt gemerkt, aber nicht die Dateien selbst.',
      ),
    moreUnsent: (count) =>
      plural(
        count,
        'Wählen Sie die Datei noch einmal aus, um sie zu senden.',
        'Wählen Sie die Dateien noch einmal aus, um sie zu senden.',
      ),
    sealedWith: (count) =>
      `Verschlüsselt mit ${plural(count, 'der angefangenen Datei', `${files(count)}, die angefangen sind`)}`,
    sealedStays:
      'Das bleibt bei ihnen, was immer Sie zu anderen Dateien schreiben. Um es für eine Datei zu ändern, geben Sie sie hier auf und wählen Sie sie dann noch einmal aus.',
    far: (percent) => `${percent} davon sind auf dem Server`,
    none: 'Davon ist noch nichts auf dem Server',
    neverBegun: 'Noch nicht gesendet. Wählen Sie die Datei noch einmal aus, um sie zu senden.',
    neverBegunShut: 'Nicht gesendet. Der Link nimmt keine neuen Dateien an.',
    deleted: 'Davon ist nichts mehr auf dem Server',
    deletedRestart:
      'Davon ist nichts mehr auf dem Server. Wählen Sie die Datei noch einmal aus, um sie von vorn zu senden.',
    inOtherTab: 'Ein anderer Tab dieses Browsers sendet sie',
    choose: 'Noch einmal auswählen',
    chooseFolder: 'Ordner noch einmal auswählen',
    chooseFiles: 'Dateien noch einmal auswählen',
    discardAll: (count) => `Diese ${files(count)} nicht senden`,
    discard: (name) => `${name} aufgeben`,
    closed: 'Der Link nimmt keine neuen Dateien an, aber diese können Sie vielleicht noch fertig senden.',
  },
  confirm: {
    title: 'Diese Datei abbrechen?',
    text: (name, percent) => `${percent} von ${name} sind gesendet. Wenn Sie abbrechen, löscht der Server diesen Teil.`,
    yes: 'Datei abbrechen',
    no: 'Weiter senden',
    close: 'Schließen',
  },
  addAnyway: () => 'Trotzdem hinzufügen',
  remarks: {
    already_there: (count, name) =>
      plural(
        count,
        `Eine Datei mit Namen, Größe und Zeit von ${name} steht schon in der Liste.`,
        `${files(count)} wurden nicht hinzugefügt: Dateien mit ihren Namen, Größen und Zeiten stehen schon in der Liste.`,
      ),
    already_landed: (count, name) =>
      plural(
        count,
        `Eine Datei mit Namen, Größe und Zeit von ${name} ist schon gesendet.`,
        `${files(count)} wurden nicht hinzugefügt: Dateien mit ihren Namen, Größen und Zeiten sind schon gesendet.`,
      ),
    not_taken: (count, name) =>
      plural(
        count,
        `${name} wurde nicht hinzugefügt: Der Link nimmt keine neuen Dateien an.`,
        `${files(count)} wurden nicht hinzugefügt: Der Link nimmt keine neuen Dateien an.`,
      ),
    nothing_chosen: () => 'In Ihrer Auswahl war keine Datei.',
    empty: (count, name) =>
      plural(
        count,
        `${name} ist leer. Falls etwas darin sein sollte, kopieren Sie die Datei in einen anderen Ordner und wählen Sie die Kopie aus.`,
        `${files(count)} sind leer, darunter ${name}. Falls etwas darin sein sollte, kopieren Sie die Dateien in einen anderen Ordner und wählen Sie die Kopien aus.`,
      ),
    empty_folders: (count, name) =>
      plural(
        count,
        `Der Ordner ${name} ist leer, und leere Ordner werden nicht gesendet.`,
        `${number(count)} Ordner, darunter ${name}, sind leer, und leere Ordner werden nicht gesendet.`,
      ),
    not_read: (count, name) =>
      plural(
        count,
        `${name} wurde nicht hinzugefügt: Dieser Browser konnte nicht alles davon lesen. Wählen Sie es noch einmal aus.`,
        `${number(count)} Dateien oder Ordner wurden nicht hinzugefügt, darunter ${name}: Dieser Browser konnte nicht alles davon lesen. Wählen Sie sie noch einmal aus.`,
      ),
  },
  live: {
    sending: (percent, arrived, of) => `${percent} gesendet, ${number(arrived)} von ${files(of)} angekommen.`,
    failed: (count) => `${files(count)} ${plural(count, 'wurde', 'wurden')} nicht gesendet.`,
  },
  pageTitle: (percent) => `${percent} · Blindkeep`,
  pageTitleDone: 'Angekommen · Blindkeep',
  pageTitleSome: 'Nicht alle angekommen · Blindkeep',
  footer: 'Blindkeep überbringt Dateien, ohne sie lesen zu können, und signiert für jede eine Quittung.',
  language: 'Sprache',
}
