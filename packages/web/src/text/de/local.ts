import { number, plural } from './counts.ts'

export const local: typeof import('../en/local.ts').local = {
  pairTitle: 'Ihre Seiten, von diesem Rechner',
  pairExplain: (server) =>
    `Das sind die Seiten für ${server}, aber sie kommen von diesem Rechner. Tippen Sie den Code aus dem Terminal ein, acht Ziffern. Nach Ihrem Passwort wird hier nicht gefragt.`,
  linkTitle: 'Eine Seite von diesem Rechner',
  linkExplain: (server) =>
    `Das ist die Seite eines Links oder einer Freigabe bei ${server}, aber sie kommt von diesem Rechner. Tippen Sie den Code aus dem Terminal ein, acht Ziffern.`,
  programFailed:
    'Das Programm im Terminal antwortet nicht. Starten Sie es neu und benutzen Sie die Seite, die es öffnet.',
  nothingKept:
    'Diese Seite kommt von Ihrem Rechner und speichert nichts im Browser. Lassen Sie sie und das Programm im Terminal offen, bis alle Dateien angekommen sind: Eine Datei, die dann nicht fertig ist, muss von vorn gesendet werden. Speichern Sie Quittungen und Nachweise, bevor Sie die Seite schließen.',
  code: 'Code im Terminal',
  codeWrong: (triesLeft) =>
    `Das ist nicht der Code. Sie haben noch ${number(triesLeft)} ${plural(triesLeft, 'Versuch', 'Versuche')}.`,
  codeOver: 'Dieser Code gilt nicht mehr. Das Terminal zeigt einen neuen.',
  codesRefused: 'Es wurde nach zu vielen Codes gefragt. Beenden Sie das Programm im Terminal und starten Sie es neu.',
  pair: 'Weiter',
  closedTitle: 'Geschlossen',
  closedExplain:
    'Das Programm im Terminal, das diese Seiten gezeigt hat, ist beendet. Schließen Sie diesen Tab und laden Sie ihn nicht neu: Unter dieser Adresse kann jetzt ein anderes Programm antworten. Um weiterzumachen, starten Sie das Programm neu.',
  account: {
    title: 'Was nach Ihrem Passwort fragt',
    explain:
      'Diese Seiten fragen nie nach Ihrem Passwort. Ihr Passwort, den zweiten Schritt beim Anmelden und Ihre Passkeys ändern Sie auf den Seiten des Servers selbst, und dort löschen Sie auch das Konto.',
  },
  guests: 'Wer eine dieser Adressen öffnet, bekommt die Seite des Servers, nicht eine von Ihrem Rechner.',
}
