import { files, number, plural } from './counts.ts'

export const shares: typeof import('../en/shares.ts').shares = {
  title: 'Freigaben',
  intro:
    'Eine Freigabe zeigt einige Ihrer Dateien allen, die ihren Link haben. Wählen Sie dafür in einem Album Dateien aus, oder geben Sie das ganze Album frei.',
  loading: 'Ihre Freigaben werden geladen\u00a0…',
  none: {
    title: 'Noch keine Freigaben',
    text: 'Wählen Sie in einem Album Dateien aus und dann „Teilen“. Sie bekommen einen Link, den Sie weitergeben können.',
    toAlbums: 'Zu den Alben',
  },
  list: 'Ihre Freigaben',
  name: (id) => `Freigabe …/v/${id}…`,
  created: (when) => `Angelegt am ${when}`,
  until: (when) => `Endet am ${when}`,
  ended: (when) => `Beendet am ${when}`,
  forever: 'Bis Sie sie beenden',
  live: 'Offen',
  expired: 'Beendet',
  usedUp: 'Downloads aufgebraucht',
  visits: {
    none: 'Noch nicht geöffnet',
    opened: (count) => plural(count, 'Einmal geöffnet', `${number(count)}-mal geöffnet`),
    downloaded: (count) =>
      count === 0
        ? 'nicht heruntergeladen'
        : plural(count, 'einmal heruntergeladen', `${number(count)}-mal heruntergeladen`),
    left: (count, max) => `${number(count)} von ${number(max)} Downloads übrig`,
    last: (when) => `zuletzt ${when}`,
  },
  limit: {
    button: 'Begrenzen',
    of: (name) => `Downloads von ${name} begrenzen`,
    title: (name) => `Downloads von „${name}“`,
    field: 'Wie viele Downloads? (freiwillig)',
    hint: 'Wer den Link öffnet, braucht einen Download und kann damit alle Dateien der Freigabe herunterladen, bis die Seite geschlossen wird. Leer: beliebig viele.',
    before: 'Frühere Downloads zählen mit.',
    meaning:
      'Eine Grenze hält Dateien nicht geheim: Wer eine Datei heruntergeladen hat, kann sie weitergeben. Ein Download zählt, sobald er beginnt, auch wenn er angehalten wird.',
    fault: (max) => `Eine Zahl von 1 bis ${number(max)}, oder nichts.`,
    save: 'Speichern',
    done: 'Gespeichert.',
  },
  withPassphrase: 'Mit Kennwort',
  showing: {
    looking: 'Ihre Freigaben werden durchgesehen\u00a0…',
    none: 'Keine Freigabe',
    files: (count) => files(count),
    album: (count) =>
      plural(count, '1 Freigabe zeigt Dateien daraus', `${number(count)} Freigaben zeigen Dateien daraus`),
    losing: (count, of) =>
      of === 1
        ? plural(
            count,
            '1 Freigabe zeigt sie und dann nicht mehr:',
            `${number(count)} Freigaben zeigen sie und dann nicht mehr:`,
          )
        : plural(
            count,
            '1 Freigabe zeigt einige davon und dann nicht mehr:',
            `${number(count)} Freigaben zeigen einige davon und dann nicht mehr:`,
          ),
    unknown: 'Welche Freigaben sie zeigen, ist gerade nicht bekannt.',
  },
  following: {
    choice: 'Auch zeigen, was später dazukommt',
    meaning:
      'Was in das Album kommt, können alle lesen, die den Link haben: auch was andere Ihnen schicken und Sie dort behalten, mit Name, Nachricht und Antworten. Eine gelöschte oder verschobene Datei wird nicht mehr gezeigt.',
    badge: 'Folgt ihrem Album',
    left: (count, name) =>
      `„${name}“ zeigt ${files(count)} des Albums nicht: Kein Gerät von Ihnen, das signieren darf, hat sie signiert, oder es sind zu viele für eine Freigabe.`,
    failed: (why) => `Freigaben, die einem Album folgen, ließen sich nicht mit ihm vergleichen. ${why}`,
  },
  contents: (count, size) => `${files(count)}, ${size}`,
  more: (count) => `und ${number(count)} weitere`,
  gone: (count) => `${files(count)} nicht mehr verfügbar, inzwischen gelöscht oder ersetzt:`,
  unknown:
    'Was darin ist, ist nicht bekannt: Eine ältere Version hat sie angelegt, und ihr Link wurde nur damals angezeigt.',
  nameFault: 'Der Server liefert einen Namen, der nicht zu dieser Freigabe gehört. Er wurde verändert oder vertauscht.',
  recordFault:
    'Der Server liefert einen Link, der nicht zu dieser Freigabe gehört. Er wurde verändert oder vertauscht.',
  show: { button: 'Link anzeigen', of: (name) => `Link anzeigen: ${name}` },
  rename: {
    button: 'Umbenennen',
    of: (name) => `Umbenennen: ${name}`,
    title: (name) => `Name von „${name}“`,
  },
  end: {
    button: 'Freigabe beenden',
    buttonOf: (name) => `Freigabe beenden: ${name}`,
    title: 'Diese Freigabe beenden?',
    text: 'Der Freigabelink funktioniert ab sofort nicht mehr. Wer eine Datei schon heruntergeladen hat, behält sie. Ihre eigenen Dateien bleiben.',
    confirm: 'Freigabe beenden',
    done: 'Die Freigabe ist beendet.',
  },
  remove: {
    button: 'Entfernen',
    buttonOf: (name) => `Aus dieser Liste entfernen: ${name}`,
    title: 'Diese Freigabe aus der Liste entfernen?',
    text: 'Die Freigabe ist beendet, und ihr Link funktioniert nicht mehr. Ihre eigenen Dateien bleiben.',
    confirm: 'Aus der Liste entfernen',
    done: 'Die Freigabe wurde entfernt.',
  },
  close: 'Schließen',
  create: {
    title: (count) => `${files(count)} teilen`,
    explain: 'Sie bekommen einen Link. Wer ihn hat, kann diese Dateien öffnen und sonst nichts, auch ohne Konto.',
    name: 'Ihr Name dafür (freiwillig)',
    nameHint: 'Nur Sie sehen ihn, in der Liste Ihrer Freigaben. Wer die Freigabe öffnet, sieht ihn nicht.',
    expiry: 'Wie lange?',
    presets: { day: '1 Tag', week: '7 Tage', month: '30 Tage', never: 'Bis ich sie beende' },
    passphrase: 'Kennwort (freiwillig)',
    passphraseHint:
      'Dann braucht man Link und Kennwort. Sagen Sie das Kennwort auf einem anderen Weg als den Link, zum Beispiel am Telefon. Wer nur den Link findet, kann nichts öffnen.',
    privacyNote:
      'Wurde Ihnen eine dieser Dateien geschickt, werden auch Name und Nachricht des Absenders und seine Antworten auf Ihre Fragen geteilt.',
    submit: 'Freigabelink anlegen',
    making: 'Wird verschlüsselt\u00a0…',
  },
  made: {
    title: 'Ihr Freigabelink',
    warning: 'Wer den Link bekommt, kann die Dateien öffnen: Behandeln Sie ihn wie einen Schlüssel.',
    withPassphrase: 'Wer Link und Kennwort hat, kann die Dateien öffnen.',
    again: 'Sie finden ihn unter Freigaben wieder, solange die Freigabe besteht.',
    once: 'Kopieren Sie ihn jetzt. Dieser Server hat eine frühere Version, die weder Link noch Namen speichert: Er wird nur jetzt angezeigt.',
    address: 'Freigabelink',
    copy: 'Freigabelink kopieren',
    copied: 'Kopiert',
    copyFailed: 'Ihr Browser erlaubt das Kopieren nicht. Markieren Sie den Link und kopieren Sie ihn.',
    qr: 'QR-Code des Freigabelinks',
    until: (when) => `Er funktioniert bis ${when}, oder bis Sie die Freigabe beenden.`,
    forever: 'Er funktioniert, bis Sie die Freigabe beenden.',
    downloads: (count) =>
      `Nach ${number(count)} ${plural(count, 'Download', 'Downloads')} zeigt er anderen nichts mehr.`,
    done: 'Fertig',
  },
}
