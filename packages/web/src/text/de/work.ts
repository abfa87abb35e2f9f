import { MAX_TEMPLATE_FOLDERS } from '@blindkeep/client/folderTemplate'
import type { work as english } from '../en/work.ts'
import { files, number, plural } from './counts.ts'

export const work: typeof english = {
  region: 'Laufende Arbeit',
  running: {
    keep: (over, count) => `${number(over)} von ${files(count)} behalten\u00a0…`,
    discard: (over, count) => `${number(over)} von ${files(count)} verworfen\u00a0…`,
    delete: (over, count) => `${number(over)} von ${files(count)} gelöscht\u00a0…`,
    restore: (over, count) => `${number(over)} von ${files(count)} wiederhergestellt\u00a0…`,
    end: (over, count) => `${number(over)} von ${files(count)} endgültig gelöscht\u00a0…`,
    move: (over, count) => `${number(over)} von ${files(count)} verschoben\u00a0…`,
    save: (over, count) => `${number(over)} von ${files(count)} heruntergeladen\u00a0…`,
    thumbnail: (over, count) => `Vorschaubilder: ${number(over)} von ${number(count)}`,
  },
  failed: {
    keep: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht behalten werden.`,
    discard: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht verworfen werden.`,
    delete: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht gelöscht werden.`,
    restore: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht wiederhergestellt werden.`,
    end: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht endgültig gelöscht werden.`,
    move: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht verschoben werden.`,
    save: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht heruntergeladen werden.`,
    thumbnail: (count) =>
      `${plural(count, '1 Vorschaubild konnte', `${number(count)} Vorschaubilder konnten`)} nicht gemacht werden.`,
  },
  saving: {
    title: (count) => `${files(count)} herunterladen`,
    about:
      'In einem Ordner wird jede Datei für sich geprüft und gespeichert: Was nicht gelingt, wird genannt, und Sie können es noch einmal versuchen. Es geht weiter, während Sie andere Seiten benutzen. Eine ZIP-Datei ist vollständig oder wird gar nicht gespeichert.',
    aboutZip: 'Eine ZIP-Datei ist vollständig oder wird gar nicht gespeichert.',
    into: 'Ordner für diese Dateien',
    intoHint:
      'Für jede Datei aus dem, was ihr Gast sagt. In Klammern steht eine Frage oder „sender“ für den Absender. Leer lassen für keine.',
    intoFault: `Schreiben Sie Ordner mit / dazwischen, höchstens ${MAX_TEMPLATE_FOLDERS}, wie in {sender}/{Aktenzeichen}.`,
    intoExample: 'Zum Beispiel:',
    parts: 'Ordner hinzufügen',
    sender: 'Absender',
    folder: 'In einem Ordner speichern\u00a0…',
    zip: 'Als ZIP-Datei speichern\u00a0…',
    refused:
      'Dieser Browser lässt die Seite nicht in diesen Ordner schreiben. Wählen Sie einen anderen oder eine ZIP-Datei.',
  },
  albumStays: 'Das Album bleibt.',
  asking: {
    keep: (count, when) => `Sie wollten am ${when} ${files(count)} behalten. Jetzt behalten?`,
    discard: (count, when) => `Sie wollten am ${when} ${files(count)} verwerfen. Jetzt verwerfen?`,
    delete: (count, when) => `Sie wollten am ${when} ${files(count)} löschen. Jetzt löschen?`,
    restore: (count, when) => `Sie wollten am ${when} ${files(count)} wiederherstellen. Jetzt wiederherstellen?`,
    end: (count, when) => `Sie wollten am ${when} ${files(count)} endgültig löschen. Jetzt endgültig löschen?`,
    move: (count, when) => `Sie wollten am ${when} ${files(count)} verschieben. Jetzt verschieben?`,
    thumbnail: (count, when) => `Sie wollten am ${when} Vorschaubilder von ${files(count)}. Jetzt machen?`,
  },
  queued: 'Beginnt, wenn die Arbeit davor fertig ist.',
  waiting: 'Der Server ist nicht erreichbar oder ausgelastet. Es geht von selbst weiter.',
  stopping: 'Dateien, die schon auf dem Weg in ein Album sind, werden noch fertig.',
  elsewhere: 'Das geschieht in einem anderen Tab.',
  stop: 'Anhalten',
  goOn: 'Weitermachen',
  forget: 'Nicht tun',
  retry: 'Diese noch einmal versuchen',
  close: 'Schließen',
  more: (count) => `und ${files(count)} mehr`,
  rest: (count, total) => `Das ${plural(count, 'ist die letzte', 'sind die letzten')} von ${files(total)}.`,
  already: (count) =>
    `${files(count)} ${plural(count, 'war', 'waren')} schon behalten, verschoben, verworfen oder gelöscht, hier oder auf einem anderen Gerät.`,
  busy: (count) =>
    `${files(count)} ${plural(count, 'ist', 'sind')} nicht dabei: Eine andere Arbeit an ${plural(count, 'ihr', 'ihnen')} läuft noch.`,
  keys: {
    title: 'Tastenkürzel',
    about:
      'Sie wirken, solange der Cursor in keinem Feld steht: zuerst auf das Ausgewählte, sonst auf die Datei, bei der Sie gerade sind.',
    on: 'Einzelne Tasten in diesem Browser verwenden',
    close: 'Schließen',
    inbox: [
      [['j', '↓'], 'Nächste Datei'],
      [['k', '↑'], 'Vorige Datei'],
      [['Enter'], 'Datei anzeigen'],
      [['x'], 'Datei auswählen'],
      [['a'], 'Alle Dateien auswählen oder keine'],
      [['e'], 'In einem Album behalten'],
      [['s'], 'Herunterladen'],
      [['#', 'Entf'], 'Verwerfen'],
      [['?'], 'Diese Liste zeigen'],
    ],
    album: [
      [['j', '↓'], 'Nächste Datei'],
      [['k', '↑'], 'Vorige Datei'],
      [['Enter'], 'Datei öffnen'],
      [['x'], 'Datei auswählen'],
      [['a'], 'Alle Dateien auswählen oder keine'],
      [['s'], 'Ausgewähltes herunterladen'],
      [['#', 'Entf'], 'Ausgewähltes löschen'],
      [['?'], 'Diese Liste zeigen'],
    ],
  },
  actionsOf: (name) => `Aktionen für ${name}`,
  stopped: (count) => `Angehalten. ${files(count)} ${plural(count, 'bleibt, wo sie ist', 'bleiben, wo sie sind')}.`,
}
