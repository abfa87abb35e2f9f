import { files, number, plural } from './counts.ts'

export const proof: typeof import('../en/proof.ts').proof = {
  title: 'Nachweise mit dem Schlüssel jeder Datei',
  close: 'Schließen',
  key: 'Ein Nachweis enthält den Schlüssel seiner Datei und die Kennung dieses Links. Wer ihn und die verschlüsselten Bytes bekommt, kann die Datei öffnen. Geben Sie ihn nur Personen, die die Datei lesen dürfen, und erst, wenn der Link beendet ist.',
  found:
    'Auf Ihrem Gerät gefunden, belegt er, dass Sie die Datei hatten. Wenn Sie eine Durchsuchung fürchten, speichern Sie weder Nachweise noch Quittungen.',
  checking: 'Jede Datei wird noch einmal gelesen, und ihr Nachweis wird hier geprüft\u00a0…',
  failed: 'Die Nachweise konnten nicht erstellt werden. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  retry: 'Noch einmal versuchen',
  reads: (count) => `Wer ${plural(count, 'diesen Nachweis', `diese ${number(count)} Nachweise`)} bekommt, liest:`,
  sender: 'Ihr Name',
  note: 'Nachricht',
  go: 'Auf einmal gesendet',
  goFiles: (count) => files(count),
  name: 'Dateien',
  changedAt: (when) => `geändert am ${when}`,
  more: (count) => `… und ${number(count)} weitere`,
  changed: (count) =>
    plural(
      count,
      'Kein Nachweis für diese Datei: Sie ist nicht mehr so lesbar, wie sie gesendet wurde.',
      `Keine Nachweise für diese ${files(count)}: Sie sind nicht mehr so lesbar, wie sie gesendet wurden.`,
    ),
  save: (count) => plural(count, 'Nachweis herunterladen', `${number(count)} Nachweise herunterladen`),
  cancel: 'Abbrechen',
}
