import type { find as english } from '../en/find.ts'
import { files, number } from './counts.ts'

export const find: typeof english = {
  search: {
    files: 'Dateien suchen',
    links: 'Links suchen',
    albums: 'Alben und Dateien suchen',
    shares: 'Freigaben suchen',
  },
  key: 'Die Taste / führt zur Suche.',
  filters: (count) => (count === 0 ? 'Filter' : `Filter (${number(count)})`),
  kind: 'Art',
  anyKind: 'Jede Art',
  kinds: {
    image: 'Bilder',
    video: 'Videos',
    audio: 'Audio',
    document: 'Dokumente',
    archive: 'Archive',
    other: 'Andere',
  },
  sender: 'Von',
  since: 'Seit',
  until: 'Bis',
  larger: 'Größe',
  anySize: 'Jede Größe',
  atLeast: (size) => `${size} oder mehr`,
  only: 'Zustand',
  all: 'Alle',
  onlyThese: {
    new: 'Neu seit Ihrem letzten Besuch',
    unread: 'Ungelesen',
    open: 'Offen',
    over: 'Nicht mehr offen',
  },
  sort: 'Sortieren nach',
  orders: {
    newest: 'Neueste zuerst',
    oldest: 'Älteste zuerst',
    name: 'Name',
    sender: 'Absender',
    largest: 'Größte zuerst',
    smallest: 'Kleinste zuerst',
  },
  found: (count, of) => `${number(count)} von ${number(of)} angezeigt`,
  none: 'Nichts passt.',
  reading: (left) => `Namen werden gelesen, noch ${number(left)} …`,
  unread: (left) =>
    `Die Namen von ${files(left)} sind auf diesem Gerät noch nicht bekannt und werden nicht durchsucht.`,
  readThem: 'Namen lesen',
  clear: 'Alle zeigen',
  new: 'Neu',
  notOpened: 'Noch nicht geöffnet',
  markRead: 'Alle als gelesen markieren',
  albumFiles: 'Dateien',
  index: {
    title: 'Namen auf diesem Gerät',
    isOn: 'An',
    explain:
      'Damit Dateien schnell gefunden werden, behält Blindkeep die gelesenen Namen in diesem Browser, verschlüsselt mit dem Schlüssel Ihres Kontos. Beim Abmelden werden sie gelöscht.',
    turnOff: 'Ausschalten und löschen',
    turnOn: 'Einschalten',
    offExplain:
      'In diesem Browser ist es ausgeschaltet. Sie können trotzdem suchen; die Namen werden dann bei jedem Besuch neu gelesen.',
    isOff: 'Die Namen wurden aus diesem Browser gelöscht.',
    isOnNow: 'Ab jetzt werden Namen in diesem Browser behalten.',
  },
}
