const files = (count: number) => (count === 1 ? '1 Datei' : `${count} Dateien`)

export const share: typeof import('../en/share.ts').share = {
  language: 'Sprache',
  title: 'Dateien für Sie',
  intro: (count, size) => `${files(count)}, ${size}. Ihr Browser öffnet sie; der Server kann sie nicht lesen.`,
  opening: 'Es wird geöffnet, was Ihnen geteilt wurde …',
  list: 'Geteilte Dateien',
  unnamed: 'Ohne Namen',
  changed: (when) => `Geändert ${when}`,
  save: 'Speichern',
  saveOf: (name) => `${name} speichern`,
  saving: (name) => `${name} wird gespeichert`,
  saveAll: 'Alle speichern',
  saved: (name) => `${name} ist gespeichert.`,
  savedMark: 'Gespeichert',
  stop: 'Anhalten',
  stopOf: (name) => `Speichern von ${name} anhalten`,
  show: 'Ansehen',
  showOf: (name) => `${name} ansehen`,
  close: 'Schließen',
  careful: 'Die Namen hat gewählt, wer die Dateien teilt. Öffnen Sie nur, was Sie erwarten.',
  about: 'Was ist Blindkeep?',
  aboutText:
    'Ein Ort für Dateien, der alles versiegelt, bevor es einen Browser verlässt. Der Teil der Adresse dieser Seite nach # ist der Schlüssel. Er gelangt nie zum Server.',
  retry: 'Noch einmal versuchen',
  faults: {
    dead: {
      title: 'Hier wird nichts mehr geteilt',
      text: 'Die Freigabe ist beendet, oder die Adresse stimmt nicht. Bitten Sie um eine neue.',
    },
    damaged: {
      title: 'Diese Adresse ist beschädigt',
      text: 'Ein Teil davon wurde unterwegs verändert oder abgeschnitten. Kopieren Sie sie noch einmal ganz aus der Nachricht, die Sie bekommen haben.',
    },
    fragment_missing: {
      title: 'In der Adresse fehlt der Schlüssel',
      text: 'Der Teil nach # öffnet die Dateien, und er ist nicht da. Manche Programme schneiden ihn ab: Kopieren Sie die ganze Adresse aus der Nachricht, die Sie bekommen haben.',
    },
    tampered: {
      title: 'Das passt nicht zur Adresse',
      text: 'Was der Server gibt, wurde nicht für diese Adresse versiegelt, oder die Adresse wurde unterwegs verändert. Kopieren Sie sie noch einmal ganz; bleibt es dabei, sagen Sie es der Person, von der Sie sie haben.',
    },
    newer: {
      title: 'Diese Seite ist dafür zu alt',
      text: 'Was geteilt wurde, stammt aus einer neueren Version. Laden Sie die Seite neu.',
    },
    file_gone: {
      title: 'Die Datei ist nicht mehr da',
      text: 'Sie wurde gelöscht, oder die Freigabe ist beendet. Bitten Sie um eine neue.',
    },
    file_tampered: {
      title: 'Das ist eine andere Datei als die geteilte',
      text: 'Sie stimmt nicht mit dem überein, was versiegelt wurde. Nichts davon wurde behalten. Sagen Sie es der Person, die teilt, und versuchen Sie es später noch einmal.',
    },
    unreachable: {
      title: 'Der Server ist nicht erreichbar',
      text: 'Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
    },
    failed: {
      title: 'Das hat nicht geklappt',
      text: 'Der Server konnte nicht antworten. Versuchen Sie es gleich noch einmal.',
    },
    disk: {
      title: 'Die Datei ließ sich nicht speichern',
      text: 'Ihr Gerät hat sie nicht angenommen. Ist genug Platz frei? Versuchen Sie es noch einmal.',
    },
    unsupported: {
      title: 'Dieser Browser kann das nicht öffnen',
      text: 'Es braucht eine Adresse mit https und einen Browser der letzten Jahre. Öffnen Sie die Adresse in einem anderen.',
    },
  },
}
