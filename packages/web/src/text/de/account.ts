import { MIN_PASSWORD_CHARACTERS } from '@blindkeep/client/passwordStrength'
import { files, number, plural } from './counts.ts'
import { operator } from './operator.ts'

export const account: typeof import('../en/account.ts').account = {
  operator,
  promise: {
    title: 'Dateien, die nur Sie öffnen können',
    link: 'Geben Sie einen Link weiter, und Sie bekommen Dateien. Die Absender brauchen kein Konto.',
    sealed: 'Jede Datei wird verschlüsselt, bevor sie den Browser verlässt. Der Server kann sie nicht lesen.',
    proof:
      'Der Server signiert für jede verschlüsselte Datei eine Quittung und kann deshalb nicht leugnen, dass er diese Bytes hatte.',
  },
  email: 'E-Mail',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  repeatPassword: 'Passwort wiederholen',
  show: (what) => `Anzeigen: ${what}`,
  stay: 'Auf diesem Gerät angemeldet bleiben',
  stayHint:
    'Nur für ein Gerät, das Sie allein benutzen: Wer diesen Browser öffnet, kann dann auch Ihre Dateien öffnen.',
  working: 'Aus dem Passwort wird Ihr Schlüssel berechnet. Das dauert ein bis zwei Sekunden.',
  stayRefused: 'Dieser Browser speichert nichts, deshalb müssen Sie sich nach einem Neuladen wieder anmelden.',
  tieRefused: (why) =>
    `Diese Anmeldung gehört zu keinem Schlüssel. Einen Schlüssel zu widerrufen, beendet sie deshalb nicht. ${why}`,
  required: 'Bitte ausfüllen.',
  emailFault: 'Das ist keine E-Mail-Adresse. Sie kann die Buchstaben a bis z, Ziffern und übliche Zeichen haben.',
  repeatFault: 'Die beiden Passwörter sind verschieden.',
  strength: {
    short: (missing) =>
      plural(missing, 'Mindestens 1 weiteres Zeichen fehlt.', `Mindestens ${number(missing)} weitere Zeichen fehlen.`),
    weak: 'Leicht zu erraten. Fügen Sie Wörter hinzu, die nichts miteinander zu tun haben.',
    fair: 'Mittel. Länger ist besser: Nehmen Sie vier oder fünf zufällige Wörter.',
    good: 'Gut.',
    hint: `Mindestens ${MIN_PASSWORD_CHARACTERS} Zeichen. Das Passwort verlässt diesen Browser nie, deshalb kann es niemand für Sie nachsehen oder zurücksetzen.`,
    label: 'Stärke des Passworts',
  },
  thumbnails: {
    title: 'Vorschaubilder',
    isOn: 'Beim Behalten',
    explain:
      'Eine Datei aus Ihrem Eingang, die Sie nicht angesehen haben, hat in ihrem Album kein Bild. Dieser Browser kann von jedem Foto, jedem PDF und jedem Film eines zeichnen, sobald Sie es behalten oder hochladen. Sonst wird nichts gezeichnet, bis Sie es verlangen: mit „Vorschau anzeigen“, oder für ein ganzes Album mit „Vorschaubilder machen“.',
    sandbox:
      'Jede Datei wird dafür noch einmal heruntergeladen und in einem abgeschotteten Rahmen ohne Netz und Speicher gezeichnet. Das Vorschaubild ist verschlüsselt wie die Datei. Dies gilt nur für diesen Browser.',
    start: 'Beim Behalten Vorschaubilder machen',
    stop: 'Ausschalten',
    refused: 'Dieser Browser speichert nichts und kann sich das daher nicht merken.',
  },
  signIn: {
    title: 'Anmelden',
    submit: 'Anmelden',
    passkey: 'Mit Passkey anmelden',
    register: 'Konto anlegen',
    recover: 'Passwort verloren?',
    reasons: {
      ended:
        'Sie wurden abgemeldet: Die Sitzung ist abgelaufen oder wurde auf einem anderen Gerät beendet. Melden Sie sich an, um dort weiterzumachen, wo Sie waren.',
      signed_out: 'Sie sind abgemeldet. Dieser Browser hat alles entfernt, womit sich Ihr Konto öffnen ließe.',
      signed_out_locally:
        'Sie sind hier abgemeldet, aber der Server war nicht erreichbar. Nach der nächsten Anmeldung können Sie diese Sitzung unter „Konto“ beenden.',
      key_left:
        'Sie sind auf dieser Seite abgemeldet, aber dieser Browser konnte nicht löschen, womit sich Ihr Konto öffnen lässt. Wenn andere diesen Browser benutzen, löschen Sie in seinen Einstellungen die Daten dieser Website.',
      reloaded:
        'Diese Seite behält Ihren Schlüssel nur, solange sie offen ist. Melden Sie sich nach einem Neuladen wieder an.',
      deleted: 'Ihr Konto wurde gelöscht. Danke, dass Sie Blindkeep benutzt haben.',
      deletion_unsure:
        'Die Antwort des Servers ging verloren. Ihr Konto wurde wahrscheinlich gelöscht: Wenn Sie sich nicht mehr anmelden können, ist es gelöscht.',
      key_revoked:
        'Der Schlüssel dieses Browsers wurde widerrufen, und deshalb ist dieser Browser abgemeldet. Dateien, die er signiert hat, sind gekennzeichnet und öffnen sich nach einer Rückfrage. Wenn Sie sich wieder anmelden, bekommt dieser Browser einen neuen Schlüssel.',
      revocation_unsure:
        'Sie sind abgemeldet, und die Antwort des Servers ging verloren. Der Schlüssel dieses Browsers wurde wahrscheinlich widerrufen: Melden Sie sich wieder an und sehen Sie unter „Konto“ bei „Signaturschlüssel“ nach.',
    },
  },
  secondStep: {
    title: 'Zweiter Schritt',
    explain: 'Geben Sie die sechs Ziffern ein, die Ihre Authenticator-App für Blindkeep anzeigt.',
    code: 'Code',
    backupExplain:
      'Geben Sie einen der zehn Ersatzcodes ein, die Sie beim Einrichten bekommen haben. Jeder gilt einmal.',
    backupCode: 'Ersatzcode',
    useBackup: 'Ersatzcode verwenden',
    useApp: 'Authenticator-App verwenden',
    submit: 'Weiter',
    back: 'Neu beginnen',
    over: 'Diese Anmeldung hat zu lange gedauert, oder es gab zu viele falsche Codes. Melden Sie sich noch einmal an.',
  },
  register: {
    title: 'Konto anlegen',
    submit: 'Konto anlegen',
    signIn: 'Ich habe ein Konto',
    invite: 'Einladungscode',
    inviteHint: 'Dieser Server nimmt neue Konten nur mit einer Einladung an. Fragen Sie den Betreiber danach.',
    inviteFromLink: 'Der Code ist aus dem Link, den Sie geöffnet haben.',
    inviteWrong: 'Diese Einladung ist nicht gültig oder wurde schon verwendet.',
    exposed: {
      title: 'Server haben diese Einladung gesehen',
      more: 'Ein Programm, das ihren Link weitergegeben hat, etwa ein Mailfilter, hat ihn verändert. So kam die Einladung zu Servern, die sie nicht haben sollten, und die sich auch damit registrieren können. Sie gilt einmal: Legen Sie das Konto jetzt an. Wenn sie abgelehnt wird, bitten Sie um eine neue.',
    },
    lost: 'Die Antwort des Servers ging verloren. Versuchen Sie es mit derselben E-Mail und demselben Passwort noch einmal. Wenn das Konto schon angelegt ist, geht es damit weiter.',
    checking: 'Ihr Konto ist angelegt. Ihre Wiederher\u00adstellungs\u00adwörter werden mit dem Server geprüft\u00a0…',
    checkFailed:
      'Ihr Konto ist angelegt, aber Ihre Wiederher\u00adstellungs\u00adwörter konnten noch nicht geprüft werden. Lassen Sie diese Seite offen: Die Wörter sind sonst nirgends gespeichert.',
    withoutWords: 'Ohne Wiederher\u00adstellungs\u00adwörter weiter',
    withoutWordsHint:
      'Wenn Sie dann Ihr Passwort verlieren, sind Ihre Dateien verloren. Neue Wörter können Sie später unter „Konto“ erstellen.',
  },
  words: {
    title: 'Ihre 24 Wiederher\u00adstellungs\u00adwörter',
    explain:
      'Wenn Sie Ihr Passwort verlieren, sind diese Wörter der einzige Weg zurück. Ohne Passwort und ohne Wörter lassen sich Ihre Dateien nicht öffnen, weder von Ihnen noch vom Betreiber dieses Servers.',
    keep: 'Schreiben Sie die Wörter in dieser Reihenfolge auf, und bewahren Sie sie bei Ihren wichtigen Papieren auf. Sie werden nur jetzt angezeigt: Schließen Sie diese Seite erst, wenn Sie die Wörter haben.',
    list: 'Wiederherstellungswörter der Reihe nach',
    next: 'Ich habe sie aufgeschrieben',
    confirmTitle: 'Prüfen Sie Ihre Notizen',
    confirmExplain: 'Geben Sie drei der Wörter ein, die Sie aufgeschrieben haben.',
    word: (place) => `Wort ${place}`,
    wrong: (place) => `Das ist nicht Wort ${place}. Sehen Sie in Ihren Notizen nach.`,
    again: 'Wörter noch einmal anzeigen',
    finish: 'Fertig',
    fileName: 'blindkeep-wiederherstellung.txt',
    fileTitle: 'Blindkeep: Wiederherstellungswörter',
    done: 'Ihr Konto ist bereit.',
  },
  secret: {
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyFailed: 'Der Browser erlaubt das Kopieren nicht. Laden Sie dies als Text herunter, oder schreiben Sie es auf.',
    print: 'Drucken',
    save: 'Als Text herunterladen',
    of: (email) => `Für ${email}`,
    at: (address) => `Unter ${address}`,
  },
  recover: {
    title: 'Mit Wiederher\u00adstellungs\u00adwörtern anmelden',
    explain:
      'Geben Sie die 24 Wörter ein, und zwar die neuesten, wenn Sie nach dem Anlegen des Kontos neue erstellt haben, und wählen Sie ein neues Passwort. Passkeys werden entfernt: Sie können sie neu hinzufügen.',
    words: 'Wiederher\u00adstellungs\u00adwörter',
    wordsHint: (count) =>
      `${number(count)} von 24 Wörtern. Großschreibung, Abstände, Zeilen und Nummern spielen keine Rolle.`,
    submit: 'Neues Passwort setzen',
    back: 'Zurück zur Anmeldung',
    done: 'Ihr Passwort wurde geändert. Überall sonst sind Sie abgemeldet, und Passkeys wurden entfernt. Ihre Wiederher\u00adstellungs\u00adwörter bleiben gleich.',
    left: 'Das neue Passwort gilt nur, wenn ein Code angenommen wurde: Probieren Sie es. Wenn nicht, gilt Ihr bisheriges. Die Wiederher\u00adstellungs\u00adwörter gelten weiter.',
  },
  page: {
    title: 'Konto',
    since: (when) => `Angelegt am ${when}`,
    suspended: 'Gesperrt',
    cancel: 'Abbrechen',
    close: 'Schließen',
    presentPassword: 'Aktuelles Passwort',
  },
  changePassword: {
    title: 'Passwort',
    explain:
      'Wenn Sie es ändern, werden Sie überall sonst abgemeldet. Ihre Dateien, Ihre Passkeys und Ihre Wiederher\u00adstellungs\u00adwörter bleiben gleich.',
    open: 'Passwort ändern',
    submit: 'Passwort ändern',
    done: 'Ihr Passwort wurde geändert. Überall sonst sind Sie abgemeldet.',
    doneWithPasskeys: (count) =>
      `Ihr Passwort wurde geändert. Überall sonst sind Sie abgemeldet. ${plural(count, '1 Passkey meldet', `${number(count)} Passkeys melden`)} weiterhin an: Entfernen Sie, was Sie nicht kennen.`,
    unsure:
      'Die Antwort des Servers ging verloren, deshalb ist das Passwort vielleicht geändert. Melden Sie sich mit dem neuen Passwort an, um es herauszufinden.',
  },
  passkeys: {
    title: 'Passkeys',
    explain:
      'Ein Passkey meldet Sie mit Fingerabdruck, Gesicht, PIN oder einem Sicherheitsschlüssel an: ohne Passwort und ohne Code. Er öffnet auch Ihre Dateien, und der Server kann es weiterhin nicht. Ihr Passwort bleibt gültig.',
    none: 'Noch keiner.',
    open: 'Passkey hinzufügen\u00a0…',
    askPassword: 'Geben Sie zuerst Ihr Passwort ein: Der Passkey wird alles ohne es öffnen.',
    askBoth: 'Geben Sie zuerst Ihr Passwort und einen Code ein: Der Passkey wird alles ohne sie öffnen.',
    next: 'Weiter',
    makeExplain:
      'Ihr Browser fragt jetzt, wo der Passkey liegen soll, und prüft, dass Sie es sind. Vielleicht fragt er zweimal.',
    make: 'Passkey anlegen',
    made: 'Der Passkey ist angelegt. Speichern Sie ihn in Ihrem Konto.',
    codeAgain:
      'Der Passkey ist angelegt. Das Speichern braucht noch einen Code, denn der erste wurde nicht angenommen.',
    codeNeeded:
      'Der Passkey ist angelegt. Das Speichern braucht auch einen Code, denn der zweite Schritt ist eingeschaltet.',
    nameHint: 'Damit Sie ihn in dieser Liste erkennen. Nur Sie können ihn lesen.',
    added: 'Der Passkey wurde hinzugefügt. Sie können ihn bei der nächsten Anmeldung benutzen.',
    unnamed: 'Passkey ohne Namen',
    addedOn: (when) => `Hinzugefügt am ${when}`,
    lastUsed: (when) => `zuletzt benutzt ${when}`,
    neverUsed: 'nie benutzt',
    rename: 'Name dieses Passkeys',
    remove: 'Entfernen',
    removed: 'Der Passkey wurde entfernt.',
    ask: {
      title: 'Diesen Passkey entfernen?',
      items: [
        'Er meldet nicht mehr an. Sie haben weiterhin Ihr Passwort.',
        'Browser, die er angemeldet hat, werden abgemeldet, außer diesem.',
        'Ihr Gerät bietet ihn vielleicht noch an. Löschen Sie ihn auch dort.',
      ],
    },
    obstacles: {
      unsupported: 'Dieser Browser hat keine Passkeys.',
      ip_address:
        'Unter dieser Adresse gibt es keine Passkeys: Browser erlauben sie nur für Namen, nicht für Zahlen wie 127.0.0.1.',
      prf_unsupported:
        'Dieser Browser hat Passkeys, aber keine, die Dateien öffnen können. Nehmen Sie einen neueren Browser, um einen hinzuzufügen.',
    },
  },
  factor: {
    title: 'Zweiter Schritt bei der Anmeldung',
    off: 'Aus',
    on: 'Ein',
    explainOff:
      'Wer Ihr Passwort erfährt, braucht dann noch einen Code von Ihrem Telefon. Ihre Dateien sind in jedem Fall verschlüsselt.',
    explainOn:
      'Bei der Anmeldung mit Passwort brauchen Sie einen Code aus Ihrer Authenticator-App oder einen Ersatzcode. Ein Passkey braucht keinen Code.',
    enroll: 'Einrichten',
    disable: 'Ausschalten',
    askPassword:
      'Geben Sie zuerst Ihr Passwort ein, damit keine andere Person an Ihrem Bildschirm dies einrichten kann.',
    next: 'Weiter',
    scan: 'Scannen Sie dies mit einer Authenticator-App auf Ihrem Telefon (etwa Aegis, 2FAS oder Google Authenticator).',
    qr: 'QR-Code für die Authenticator-App',
    manual: 'Oder geben Sie diesen Schlüssel in der App ein:',
    code: 'Code, den die App jetzt anzeigt',
    confirm: 'Einschalten',
    backupTitle: 'Ihre zehn Ersatzcodes',
    backupExplain:
      'Wenn Sie Ihr Telefon verlieren, ersetzt jeder Code einmal die App. Sie werden nur jetzt angezeigt. Ohne Telefon und Codes kann nur der Betreiber dieses Servers helfen.',
    backupList: 'Ersatzcodes',
    backupFile: 'blindkeep-ersatzcodes.txt',
    backupFileTitle: 'Blindkeep: Ersatzcodes, jeder gilt einmal',
    backupDone: 'Ich habe sie aufbewahrt',
    codesSaved: 'Der zweite Schritt ist eingeschaltet, und es gelten diese Ersatzcodes.',
    renew: 'Neue Ersatzcodes',
    renewExplain:
      'Sie bekommen zehn neue Codes, und alle früheren werden wertlos. Dafür brauchen Sie Ihr Passwort und einen Code. Wenn eine Antwort verloren geht, wiederholen Sie es mit einem anderen Code.',
    disabled: 'Der zweite Schritt ist ausgeschaltet.',
    disableExplain: 'Zum Ausschalten brauchen Sie Ihr Passwort und einen Code.',
    anyCode: 'Code aus der App oder ein Ersatzcode',
    unsure:
      'Die Antwort des Servers ging verloren. Wenn der zweite Schritt eingeschaltet ist, holen Sie sich mit einem Code aus der App neue Ersatzcodes.',
  },
  recovery: {
    title: 'Wiederher\u00adstellungs\u00adwörter',
    explain:
      'Die 24 Wörter wurden einmal angezeigt und können nicht noch einmal angezeigt werden. Wenn Sie sie verloren haben oder jemand anders sie gesehen hat, erstellen Sie neue.',
    explainNone: 'Dieses Konto hat keine: Ohne Ihr Passwort sind Ihre Dateien verloren.',
    states: { none: 'Keine', unconfirmed: 'Nicht bestätigt', confirmed: 'Bestätigt' },
    unconfirmed:
      'Sie haben diese Wörter noch nicht bestätigt. Nur diese gelten. Wenn Sie sie auf Papier haben, prüfen Sie sie. Wenn nicht, erstellen Sie neue.',
    open: 'Meine Wörter prüfen',
    renew: 'Neue Wörter erstellen',
    renewExplain: 'Mit den neuen Wörtern gelten die Wörter, die Sie jetzt haben, sofort nirgends mehr.',
    renewedExplain: 'Diese Wörter gelten jetzt, und Ihre früheren nicht mehr: Vernichten Sie sie.',
    renewed: 'Ihre neuen Wiederher\u00adstellungs\u00adwörter sind bestätigt.',
    checking: 'Die neuen Wörter werden mit dem Server geprüft\u00a0…',
    unsure:
      'Es ist noch nicht sicher, ob die neuen oder die früheren Wörter gelten. Lassen Sie diese Seite so lange offen: Die neuen sind sonst nirgends gespeichert.',
    notStored:
      'Diese neuen Wörter gelten nicht. Es gelten Ihre früheren oder die, die Sie inzwischen in einem anderen Fenster erstellt haben.',
    checkExplain: 'Geben Sie die Wörter aus Ihren Notizen ein. Sie sehen, ob sie Ihr Konto noch öffnen.',
    submit: 'Prüfen',
    good: 'Diese Wörter öffnen Ihr Konto. Bewahren Sie sie sicher auf.',
  },
  notify: {
    title: 'Nachrichten über neue Dateien',
    explain:
      'Dieser Server kann Ihnen eine Nachricht senden, wenn Dateien ankommen. Sie sagt, wie viele und wann, und nichts über die Dateien: Der Server kann sie nicht lesen.',
    notOffered: 'Der Betreiber dieses Servers hat das nicht eingeschaltet.',
    open: 'Hinzufügen\u00a0…',
    kind: 'Wie',
    kinds: {
      email: {
        name: 'E-Mail',
        address: 'Adresse für Nachrichten',
        hint: 'Die Adresse bekommt zuerst eine Nachricht mit einem Code, den Sie hier eingeben.',
      },
      ntfy: {
        name: 'ntfy',
        address: 'Adresse des Themas',
        hint: 'Zum Beispiel https://ntfy.example.org/mein-thema. Wer sie kennt, kann die Nachrichten lesen.',
      },
      webhook: {
        name: 'Webhook',
        address: 'Adresse des Webhooks',
        hint: 'Eine https-Adresse eines Programms. Die Nachrichten sind signiert, und Sie bekommen das Geheimnis zum Prüfen.',
      },
    },
    push: {
      name: 'Browser',
      nameFault: 'Der Server nennt einen Namen, der nicht hierher gehört. Er wird nicht gezeigt.',
      here: 'Dieser Browser',
      start: 'Diesen Browser benachrichtigen',
      explain:
        'Nachrichten kommen auch an, wenn keine Seite offen ist. Sie gehen über einen Dienst des Browser-Herstellers, der sieht, wann eine Nachricht gesendet wird, sie aber nicht lesen kann.',
      started: 'Dieser Browser bekommt jetzt Nachrichten. Senden Sie einen Test.',
      lost: 'Dieser Browser hat seine Anmeldung beim Dienst verloren, deshalb kommen hier keine Nachrichten mehr an. Schalten Sie sie wieder ein.',
      lostNotice: 'Dieser Browser bekommt keine Nachrichten über neue Dateien mehr.',
      lostLink: 'Wieder einschalten',
      notOffered: 'Dieser Server sendet keine Nachrichten an Browser.',
      obstacles: {
        install:
          'Auf iPhone und iPad bekommen Browser nur für eine App auf dem Home-Bildschirm Nachrichten: Teilen Sie diese Seite, wählen Sie „Zum Home-Bildschirm“, öffnen Sie Blindkeep dort und kehren Sie zu diesem Abschnitt zurück.',
        unsupported:
          'Dieser Browser kann keine Nachrichten bekommen. In einem privaten Fenster kann das kein Browser: Öffnen Sie diese Seite in einem gewöhnlichen.',
        denied:
          'Dieser Browser erlaubt keine Nachrichten von diesem Server. Erlauben Sie Benachrichtigungen für diese Seite in den Einstellungen des Browsers und laden Sie die Seite neu. In einem privaten Fenster geht das vielleicht nicht.',
        dismissed:
          'Der Browser hat Sie gefragt, ob er Nachrichten erlauben soll, und keine Antwort bekommen. Versuchen Sie es noch einmal.',
        refused:
          'Der Dienst des Browser-Herstellers hat diesen Browser nicht angemeldet. Das geschieht in einem privaten Fenster und wenn der Dienst ausgeschaltet ist. Versuchen Sie es sonst später noch einmal.',
      },
    },
    token: 'Zugangsschlüssel',
    tokenHint: 'Nur wenn das Thema einen verlangt.',
    submit: 'Hinzufügen',
    added: 'Wurde hinzugefügt. Senden Sie einen Test.',
    codeSent: 'Eine Nachricht mit dem Code ist unterwegs.',
    secretExplain:
      'Die Nachrichten dieses Webhooks sind mit diesem Geheimnis signiert. Es steht hier, bis Sie sagen, dass Sie es aufbewahrt haben, und danach nie wieder.',
    secretDone: 'Ich habe es aufbewahrt',
    states: { unconfirmed: 'Wartet auf den Code', given_up: 'Aufgegeben' },
    addedAt: (when) => `Hinzugefügt am ${when}.`,
    nothingSent: 'Noch keine Nachricht.',
    lastSent: (when) => `Letzte Nachricht am ${when}.`,
    lastFailed: (when, why) => `Fehlgeschlagen am ${when}: ${why}`,
    faults: {
      address_refused: 'Der Name ist unbekannt, oder er führt zu einer Adresse, an die dieser Server nicht sendet.',
      unreachable: 'Dort antwortet nichts.',
      timed_out: 'Es hat zu lange gedauert.',
      tls_failed: 'Das Zertifikat dort ist nicht gültig.',
      redirected: 'Sie führt zu einer anderen Adresse. Fügen Sie jene hinzu.',
      rejected: 'Der Empfänger lehnt die Nachricht ab. Prüfen Sie Adresse und Zugangsschlüssel.',
      receiver_failed: 'Der Empfänger hat gerade eine Störung.',
      no_longer_there: 'Der Empfänger sagt, dass dort nichts mehr ist.',
      not_offered: 'Der Betreiber hat diese Art ausgeschaltet.',
      unconfirmed: 'Die Adresse wartet auf ihren Code.',
    },
    test: 'Test senden',
    noCode:
      'Wenn keine Nachricht kommt: im Spam-Ordner nachsehen, oder die Adresse entfernen und neu hinzufügen. Eine Adresse bekommt nur wenige Codes am Tag.',
    tested: 'Der Test ist verschickt. Sehen Sie nach, ob er angekommen ist.',
    testFailed: (why) => `Der Test ist nicht angekommen. ${why}`,
    remove: 'Entfernen',
    removed: 'Wurde entfernt.',
    code: 'Code in der Nachricht',
    codeFault: 'Der Code hat acht Ziffern.',
    confirm: 'Bestätigen',
    confirmed: 'Die Adresse ist bestätigt.',
  },
  client: {
    browser: 'Ein Browser',
    on: (browser, system) => `${browser} unter ${system}`,
  },
  rename: {
    button: 'Umbenennen',
    name: 'Name',
    hint: 'Nur Sie können ihn lesen. Ein leeres Feld entfernt den Namen.',
    save: 'Speichern',
    done: 'Der Name wurde gespeichert.',
    fault:
      'Der Server liefert einen Namen, der nicht hierher gehört: Er wurde verändert oder mit einem anderen vertauscht. Er wird nicht angezeigt.',
  },
  sessions: {
    title: 'Wo Sie angemeldet sind',
    explain:
      'Alle Browser und Programme, die bei Ihrem Konto angemeldet sind. Um auch ein anderes Gerät zu benutzen, melden Sie sich dort mit derselben E-Mail-Adresse und demselben Passwort an, oder mit einem Passkey: Von hier muss nichts kopiert werden.',
    here: 'Dieser Browser',
    signedIn: (when) => `Angemeldet am ${when}`,
    inUse: 'gerade in Gebrauch',
    usedLately: 'in der letzten Stunde benutzt',
    lastUsed: (when) => `zuletzt benutzt ${when}`,
    withKey: (id) => `mit Schlüssel ${id}`,
    withoutKey: 'ohne Schlüssel',
    end: 'Abmelden',
    endOthers: 'Alle anderen abmelden',
    ended: 'Wurde abgemeldet.',
    othersEnded: 'Alle anderen wurden abgemeldet.',
    rename: 'Name dieser Anmeldung',
    none: 'Sie sind sonst nirgends angemeldet.',
  },
  devices: {
    title: 'Signaturschlüssel',
    explain:
      'Dateien, die Sie behalten oder hochladen, werden signiert, damit nur Sie Ihren Alben Dateien hinzufügen können. Jeder Browser und jedes Programm hat dafür einen eigenen Schlüssel. Er kann keine Dateien öffnen. Wenn Sie ein Gerät verlieren, widerrufen Sie hier seinen Schlüssel: Alles, was mit dem Schlüssel angemeldet ist, wird abgemeldet.',
    here: 'Dieser Browser',
    device: (id) => `Schlüssel ${id}`,
    added: (when) => `Hinzugefügt am ${when}`,
    revokedAt: (when) => `Widerrufen am ${when}`,
    rename: (id) => `Name des Schlüssels ${id}`,
    revoke: 'Widerrufen',
    revoked:
      'Der Schlüssel wurde widerrufen. Dateien, die er signiert hat, sind gekennzeichnet und öffnen sich nach einer Rückfrage.',
    ask: {
      title: (id) => `Schlüssel ${id} widerrufen?`,
      items: [
        'Browser und Programme, die mit diesem Schlüssel angemeldet sind, werden sofort abgemeldet.',
        'Der Schlüssel kann keine Dateien mehr hinzufügen. Uploads, die er begonnen hat, enden.',
        'Das lässt sich nicht rückgängig machen.',
      ],
      here: 'Das ist der Schlüssel dieses Browsers: Sie werden auch hier abgemeldet. Mit Ihrem Passwort können Sie sich wieder anmelden.',
    },
    after: (id) => `Schlüssel ${id} ist widerrufen`,
    untied: {
      notice: (count) =>
        count === 1
          ? '1 andere Anmeldung gehört zu keinem Schlüssel. Sie könnte auf dem Gerät sein, dessen Schlüssel Sie widerrufen haben.'
          : `${number(count)} andere Anmeldungen gehören zu keinem Schlüssel. Eine davon könnte auf dem Gerät sein, dessen Schlüssel Sie widerrufen haben.`,
      end: (count) => (count === 1 ? 'Abmelden' : `Diese ${number(count)} abmelden`),
      ended: (count) => (count === 1 ? 'Wurde abgemeldet.' : `${number(count)} wurden abgemeldet.`),
    },
    lately: {
      open: 'Was er zuletzt signiert hat',
      checking: 'Dateien, die dieser Schlüssel in seinen letzten 30 Tagen signiert hat, werden gesucht\u00a0…',
      stop: 'Anhalten',
      again: 'Dateien suchen, die er signiert hat',
      none: 'Der Schlüssel hat in seinen letzten 30 Tagen nichts signiert.',
      found: (count) =>
        `Der Schlüssel hat in seinen letzten 30 Tagen ${files(count)} signiert. Wenn eine andere Person das Gerät hatte, sind vielleicht nicht alle von Ihnen: Sehen Sie sie an.`,
      unverified: (count) =>
        `${files(count)} aus dieser Zeit ${plural(count, 'ließ', 'ließen')} sich nicht prüfen. Wer signiert hat, ist unbekannt.`,
      more: (count) => `Mehr anzeigen (${number(count)})`,
      signedAt: (when) => `Signiert am ${when}`,
      arrivedAt: (when) => `geändert am ${when}`,
    },
    denied: 'Widerruf bestritten',
    deniedExplain:
      'Der Server führt einen widerrufenen Schlüssel wieder als gültig. Das kann vorkommen, nachdem der Betreiber eine Sicherung zurückgespielt hat. Für diesen Browser bleibt der Schlüssel widerrufen. Widerrufen Sie ihn noch einmal. Bleibt dieser Hinweis, trauen Sie diesem Server nicht.',
    foreign: 'Nicht als Ihrer belegt',
    foreignExplain:
      'Nichts belegt, dass dieser Schlüssel mit dem Geheimnis Ihres Kontos hinzugefügt wurde, daher werden seine Signaturen nicht anerkannt. Kennen Sie ihn nicht, widerrufen Sie ihn. Ist es Ihrer, lügt der Server: Ein Widerruf würde nur Ihre Dateien markieren.',
    none: 'Noch keiner. Der erste entsteht, wenn Sie eine Datei behalten oder hochladen, oder angemeldet bleiben.',
    old: (count) => plural(count, '1 widerrufener Schlüssel', `${number(count)} widerrufene Schlüssel`),
  },
  leave: {
    title: 'Konto löschen',
    explain:
      'Löscht endgültig alles, was Sie hier haben: Dateien, Alben, Links, Freigaben und Ihren Eingang. Die verschlüsselten Bytes löscht der Server einen Tag später, wenn der Betreiber nichts anderes eingestellt hat; in Sicherungen bleiben sie, bis diese ersetzt werden.',
    open: 'Konto löschen\u00a0…',
    dialogTitle: 'Ihr Konto löschen?',
    what: 'Das geschieht sofort und lässt sich nicht rückgängig machen:',
    items: [
      'Alle Dateien und Alben werden gelöscht, auch die Dateien in Ihrem Eingang.',
      'Ihre Links nehmen keine Dateien mehr an, und Ihre Freigaben funktionieren nicht mehr.',
      'Sie werden überall abgemeldet, und Ihre E-Mail-Adresse ist wieder frei.',
    ],
    retained: (count, until) =>
      plural(
        count,
        `1 Datei ist bis ${until} vor dem Löschen geschützt und das Konto mit ihr. Sie ist in diesem Album:`,
        `${files(count)} sind vor dem Löschen geschützt, die letzte bis ${until}, und das Konto mit ihnen. Sie sind in diesen Alben:`,
      ),
    saveFirst:
      'Laden Sie vorher herunter, was Sie brauchen: jedes Album mit „Album herunterladen“, Dateien im Eingang und Quittungen unter Speicher.',
    confirm: (email) => `Zur Bestätigung ${email} eingeben`,
    confirmFault: 'Das ist nicht die E-Mail-Adresse dieses Kontos.',
    submit: 'Endgültig löschen',
    unsure:
      'Die Antwort des Servers ging verloren, deshalb ist Ihr Konto vielleicht gelöscht. Wenn ja, werden Sie hier abgemeldet, sobald der Server wieder antwortet. Wenn nicht, löschen Sie es noch einmal.',
  },
}
