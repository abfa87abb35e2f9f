import type { bin as english } from '../en/bin.ts'
import { files, plural } from './counts.ts'

export const bin: typeof english = {
  title: 'Papierkorb',
  intro:
    'Was Sie verworfen oder gelöscht haben, bleibt eine Zeit lang hier und lässt sich wiederherstellen. Bis dahin zählt es zu Ihrem Speicher.',
  loading: 'Der Papierkorb wird geladen\u00a0…',
  none: { title: 'Der Papierkorb ist leer', text: 'Hier erscheinen Dateien, die Sie verwerfen oder löschen.' },
  list: 'Dateien im Papierkorb',
  total: (count, size) => `${files(count)}, ${size}`,
  reading: 'Der Name wird gelesen\u00a0…',
  unnamed: 'Ohne Namen',
  unreadable: 'Diese Datei lässt sich nicht öffnen',
  discarded: (when) => `Verworfen: ${when}`,
  deleted: (when) => `Gelöscht: ${when}`,
  until: (when) => `Lässt sich wiederherstellen bis ${when}`,
  restore: { button: 'Wiederherstellen', all: 'Alle wiederherstellen', of: (name) => `${name} wiederherstellen` },
  end: {
    button: 'Jetzt löschen',
    of: (name) => `${name} jetzt löschen`,
    title: 'Diese Datei endgültig löschen?',
    text: (size) =>
      `Das lässt sich nicht rückgängig machen. Damit werden ${size} Ihres Speichers frei. Der Server löscht die verschlüsselten Bytes innerhalb von etwa einem Tag.`,
    confirm: 'Endgültig löschen',
    done: (count) => plural(count, 'Die Datei wurde endgültig gelöscht.', `${files(count)} wurden endgültig gelöscht.`),
  },
  empty: {
    button: 'Jetzt leeren',
    title: (count) => `${files(count)} endgültig löschen?`,
    confirm: (count) => `${files(count)} endgültig löschen`,
  },
  undo: 'Rückgängig',
  restored: (count) => (count === 1 ? 'Die Datei ist wieder da.' : `${files(count)} sind wieder da.`),
}
