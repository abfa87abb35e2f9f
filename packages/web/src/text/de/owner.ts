export const owner: typeof import('../en/owner.ts').owner = {
  title: 'Blindkeep',
  titleWithCount: (count) => `(${count}) Blindkeep`,
  skip: 'Zum Inhalt springen',
  navigation: 'Seiten',
  pages: {
    inbox: 'Eingang',
    links: 'Links',
    albums: 'Alben',
    shares: 'Freigaben',
    storage: 'Speicher',
    account: 'Konto',
  },
  inboxWaiting: (count) => (count === 1 ? '1 Datei wartet' : `${count} Dateien warten`),
  language: 'Sprache',
  signOut: 'Abmelden',
  live: 'Live',
  liveLong: 'Änderungen erscheinen von selbst.',
  connecting: 'Verbinden …',
  connectingLong: 'Die Verbindung ist unterbrochen. Änderungen erscheinen, sobald sie wieder da ist.',
  messages: 'Meldungen',
  dismiss: 'Schließen',
  opening: 'Blindkeep wird geöffnet …',
  suspended:
    'Dieses Konto ist gesperrt. Sie können alles ansehen, sichern und entfernen; hinzufügen lässt sich nichts, und Ihre Links nehmen keine Dateien an. Fragen Sie, wer diesen Server betreibt.',
  busy: {
    title: 'Etwas ist noch im Gange',
    explain: 'Es werden gerade Dateien gesendet, gesichert, geprüft oder abgelegt. Das Abmelden bricht das ab.',
    unfinished:
      'Einige Uploads sind noch nicht fertig. Beim Abmelden vergisst dieser Browser sie; sie müssen dann neu beginnen.',
    leave: 'Jetzt abmelden',
    stay: 'Hier bleiben',
  },
  elsewhere: {
    title: 'Blindkeep ist in einem anderen Tab geöffnet',
    movedTitle: 'Blindkeep ist in einen anderen Tab umgezogen',
    explain:
      'Immer nur ein Tab hat den Schlüssel zu Ihren Dateien. Verwenden Sie es hier, und der andere Tab tritt zurück.',
    use: 'Hier verwenden',
    close: 'Oder schließen Sie diesen Tab und machen Sie im anderen weiter.',
  },
  insecure: {
    title: 'Diese Adresse ist nicht sicher',
    explain:
      'Blindkeep versiegelt Dateien in Ihrem Browser, und Browser erlauben das nur über https. Öffnen Sie die Adresse mit https, oder bitten Sie den Betreiber dieses Servers, es einzurichten.',
  },
}
