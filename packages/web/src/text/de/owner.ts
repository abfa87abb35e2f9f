import { number, plural } from './counts.ts'

export const owner: typeof import('../en/owner.ts').owner = {
  title: 'Blindkeep',
  more: { button: 'Mehr', of: (what) => `Weitere Aktionen für ${what}` },
  titleWithCount: (count) => `(${number(count)}) Blindkeep`,
  skip: 'Zum Inhalt springen',
  navigation: 'Seiten',
  pages: {
    inbox: 'Eingang',
    links: 'Links',
    albums: 'Alben',
    shares: 'Freigaben',
    storage: 'Speicher',
    account: 'Konto',
    bin: 'Papierkorb',
  },
  inboxWaiting: (count) => `${number(count)} neue ${plural(count, 'Datei', 'Dateien')} im Eingang`,
  linksRefused: (count) => `${number(count)} ${plural(count, 'Link hat', 'Links haben')} Dateien abgewiesen`,
  language: 'Sprache',
  signOut: 'Abmelden',
  live: 'Live',
  liveLong: 'Änderungen erscheinen von selbst.',
  connecting: 'Verbinden\u00a0…',
  connectingLong: 'Die Verbindung ist unterbrochen. Änderungen erscheinen, sobald sie wieder da ist.',
  messages: 'Meldungen',
  dismiss: 'Schließen',
  opening: 'Blindkeep wird geöffnet\u00a0…',
  wordsReminder: {
    unconfirmed:
      'Ihre Wiederher\u00adstellungs\u00adwörter sind nicht bestätigt. Wenn Sie ohne sie Ihr Passwort verlieren, sind Ihre Dateien verloren.',
    open: 'Prüfen oder ersetzen',
  },
  suspended:
    'Dieses Konto ist gesperrt. Sie können Ihre Dateien ansehen, herunterladen und löschen. Sie können keine hinzufügen, und Ihre Links nehmen keine an. Fragen Sie den Betreiber dieses Servers.',
  busy: {
    title: 'Es ist noch etwas in Arbeit',
    explain: 'Dateien werden gerade hochgeladen, heruntergeladen, geprüft oder verschoben. Das Abmelden bricht das ab.',
    unsavedCodes:
      'Ihre Ersatzcodes sind noch nicht gesichert und werden nach dem Abmelden nicht mehr angezeigt. Sie stehen unter Konto.',
    unsavedWebhook:
      'Das Geheimnis Ihres neuen Webhooks ist noch nicht gesichert und wird nach dem Abmelden nicht mehr angezeigt. Es steht unter Konto.',
    unsavedWords:
      'Ihre neuen Wiederher\u00adstellungs\u00adwörter sind noch nicht bestätigt und werden nach dem Abmelden nicht mehr angezeigt. Sie stehen unter Konto.',
    unfinished:
      'Einige Uploads sind nicht fertig. Beim Abmelden werden sie aus diesem Browser entfernt und müssen neu beginnen.',
    work: 'Einige Dateien sind noch nicht behalten, verworfen oder gelöscht. Beim Abmelden bleiben sie, wo sie sind.',
    taken:
      'Einige Dateien aus anderen Apps sind noch nicht beim Server gespeichert. Beim Abmelden werden sie aus diesem Browser gelöscht, nicht aus ihrer App.',
    leave: 'Jetzt abmelden',
    stay: 'Hier bleiben',
  },
  closing: {
    typed: 'Schließen, ohne zu speichern? Was Sie eingegeben haben, geht verloren.',
    secret: 'Haben Sie gesichert, was hier steht? Es wird nicht noch einmal angezeigt.',
    stay: 'Hier bleiben',
    leave: 'Trotzdem schließen',
  },
  elsewhere: {
    title: 'Blindkeep ist in einem anderen Tab geöffnet',
    movedTitle: 'Blindkeep ist in einen anderen Tab umgezogen',
    explain:
      'Immer nur ein Tab kann den Schlüssel zu Ihren Dateien benutzen. Wenn Sie diesen Tab verwenden, hört der andere auf, auch mit seinen Uploads: Deren Dateien wählen Sie dann hier noch einmal aus.',
    use: 'Diesen Tab verwenden',
    close: 'Oder schließen Sie diesen Tab und machen Sie im anderen weiter.',
  },
  otherAddress: 'Dieser Server hat eine andere Adresse',
  insecure: {
    title: 'Diese Adresse ist nicht sicher',
    explain:
      'Blindkeep verschlüsselt Dateien in Ihrem Browser, und Browser erlauben das nur über https. Öffnen Sie die Adresse mit https, oder bitten Sie den Betreiber dieses Servers, es einzurichten.',
  },
}
