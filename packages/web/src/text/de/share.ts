import { files } from './counts.ts'
import { operator } from './operator.ts'

export const share: typeof import('../en/share.ts').share = {
  operator,
  language: 'Sprache',
  title: 'Dateien für Sie',
  intro: (count, size) => `${files(count)}, ${size}. Ihr Browser entschlüsselt sie.`,
  empty: 'Hier ist gerade keine Datei. Kommt etwas dazu, sehen Sie es, wenn Sie die Seite neu laden.',
  introSealed: 'Der Server kann sie nicht lesen.',
  opening: 'Die geteilten Dateien werden geöffnet\u00a0…',
  list: 'Geteilte Dateien',
  unnamed: 'Datei ohne Namen',
  changed: (when) => `Geändert am ${when}`,
  save: 'Herunterladen',
  saveOf: (name) => `${name} herunterladen`,
  saving: (name) => `${name} wird heruntergeladen`,
  saveAll: 'Alle herunterladen',
  savedMark: 'Heruntergeladen',
  stop: 'Anhalten',
  stopped: 'Angehalten. Nichts davon wurde behalten.',
  stopOf: (name) => `Herunterladen von ${name} anhalten`,
  show: 'Vorschau anzeigen',
  showOf: (name) => `Vorschau von ${name} anzeigen`,
  close: 'Schließen',
  careful: 'Die Namen hat der Absender gewählt. Öffnen Sie nur Dateien, die Sie erwarten.',
  about: 'Was ist Blindkeep?',
  aboutText:
    'Blindkeep speichert Dateien, die im Browser verschlüsselt werden, bevor sie hochgeladen werden. Der Teil dieses Links nach # ist der Schlüssel. Diesen Teil senden Browser nicht an den Server.',
  exposed: {
    title: 'Server haben den Schlüssel dieses Links gesehen',
    more: 'Ein Programm, das den Link weitergegeben hat, etwa ein Mailfilter, hat ihn verändert. So kam sein Schlüssel zu Servern, die ihn nicht haben sollten, auch zu diesem. Sie können diese Dateien öffnen, wenn nicht auch ein Kennwort nötig ist. Wenn die Dateien vertraulich sind, sagen Sie es der Person, von der Sie den Link haben: Sie kann die Freigabe beenden und mit einem Kennwort neu anlegen.',
  },
  retry: 'Noch einmal versuchen',
  asked: {
    title: 'Diese Dateien öffnen sich mit einem Kennwort',
    passphrase: 'Kennwort',
    passphraseHint:
      'Sie bekommen es von der Person, von der Sie den Link haben. Großschreibung, Leerzeichen und Bindestriche sind egal. Es verlässt diesen Browser nicht.',
    show: 'Kennwort anzeigen',
    hide: 'Kennwort verbergen',
    open: 'Dateien öffnen',
    checking: 'Das Kennwort wird geprüft\u00a0…',
    wrong: 'Dieses Kennwort ist falsch. Prüfen Sie es, und versuchen Sie es noch einmal.',
    limited:
      'Es wurden zu viele falsche Kennwörter versucht. Warten Sie eine Viertelstunde, und versuchen Sie es dann noch einmal.',
  },
  faults: {
    dead: {
      title: 'Hier wird nichts mehr geteilt',
      text: 'Die Freigabe ist beendet, oder der Link ist falsch. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
    },
    used_up: {
      title: 'Alle Downloads sind aufgebraucht',
      text: 'Die Person, die diese Dateien teilt, hat begrenzt, wie oft man sie herunterladen kann. Bitten Sie sie um einen weiteren Download.',
    },
    damaged: {
      title: 'Dieser Link ist beschädigt',
      text: 'Ein Teil davon fehlt oder ist falsch geschrieben. Kopieren Sie den ganzen Link noch einmal aus der Nachricht, die Sie bekommen haben, bis zum letzten Zeichen.',
    },
    fragment_missing: {
      title: 'Im Link fehlt der Schlüssel',
      text: 'Der Teil nach # öffnet die Dateien, und er fehlt. Manche Programme schneiden ihn ab. Kopieren Sie den ganzen Link aus der Nachricht, die Sie bekommen haben.',
    },
    tampered: {
      title: 'Die Dateien passen nicht zum Link',
      text: 'Die Antwort des Servers wurde nicht für diesen Link verschlüsselt, oder der Link wurde unterwegs verändert. Kopieren Sie den ganzen Link noch einmal. Wenn das nicht hilft, sagen Sie es der Person, von der Sie ihn haben.',
    },
    newer: {
      title: 'Diese Seite ist zu alt',
      text: 'Die Freigabe wurde mit einer neueren Version angelegt. Laden Sie die Seite neu.',
    },
    file_gone: {
      title: 'Die Datei ist nicht mehr da',
      text: 'Sie wurde gelöscht, oder die Freigabe ist beendet. Bitten Sie um einen neuen Link.',
    },
    file_tampered: {
      title: 'Das ist nicht die Datei, die geteilt wurde',
      text: 'Sie stimmt nicht mit der Datei überein, die verschlüsselt wurde. Nichts davon wurde behalten. Sagen Sie es der Person, von der Sie den Link haben, und versuchen Sie es später noch einmal.',
    },
    server_moved: {
      title: 'Der Server ist umgezogen',
      text: 'Er ist jetzt an einer anderen Adresse, und der Link führt dorthin: Laden Sie diese Seite neu.',
    },
    unreachable: {
      title: 'Der Server ist nicht erreichbar',
      text: 'Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
    },
    failed: {
      title: 'Das hat nicht funktioniert',
      text: 'Der Server konnte nicht antworten. Versuchen Sie es gleich noch einmal.',
    },
    disk: {
      title: 'Die Datei konnte nicht geschrieben werden',
      text: 'Ihr Gerät hat sie abgelehnt. Sorgen Sie für genug Platz und versuchen Sie es noch einmal.',
    },
    unsupported: {
      title: 'Dieser Browser kann die Dateien nicht öffnen',
      text: 'Nötig sind ein Link mit https und ein aktueller Browser. Öffnen Sie den Link in einem anderen Browser.',
    },
  },
}
