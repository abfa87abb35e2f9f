import type { work as english } from '../en/work.ts'
import { files, number, plural } from './counts.ts'

export const work: typeof english = {
  region: 'Laufende Arbeit',
  running: {
    keep: (over, count) => `${number(over)} von ${files(count)} behalten\u00a0…`,
    discard: (over, count) => `${number(over)} von ${files(count)} verworfen\u00a0…`,
    delete: (over, count) => `${number(over)} von ${files(count)} gelöscht\u00a0…`,
  },
  failed: {
    keep: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht behalten werden.`,
    discard: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht verworfen werden.`,
    delete: (count) => `${files(count)} ${plural(count, 'konnte', 'konnten')} nicht gelöscht werden.`,
  },
  albumStays: 'Das Album bleibt.',
  asking: {
    keep: (count, when) => `Sie wollten am ${when} ${files(count)} behalten. Jetzt behalten?`,
    discard: (count, when) => `Sie wollten am ${when} ${files(count)} verwerfen. Jetzt verwerfen?`,
    delete: (count, when) => `Sie wollten am ${when} ${files(count)} löschen. Jetzt löschen?`,
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
    `${files(count)} ${plural(count, 'war', 'waren')} schon behalten, verworfen oder gelöscht, hier oder auf einem anderen Gerät.`,
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
