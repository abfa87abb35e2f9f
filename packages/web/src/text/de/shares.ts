import { files } from './counts.ts'

export const shares: typeof import('../en/shares.ts').shares = {
  title: 'Freigaben',
  intro:
    'Eine Freigabe zeigt einige Ihrer Dateien allen, die ihren Link haben. Wählen Sie dafür in einem Album Dateien aus.',
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
  addressGone:
    'Der Freigabelink wurde nur einmal angezeigt, beim Anlegen. Wenn Sie ihn verloren haben, beenden Sie die Freigabe und teilen Sie dieselben Dateien noch einmal.',
  end: {
    button: 'Freigabe beenden',
    buttonOf: (id) => `Freigabe beenden …/v/${id}…`,
    title: 'Diese Freigabe beenden?',
    text: 'Der Freigabelink funktioniert ab sofort nicht mehr. Wer eine Datei schon heruntergeladen hat, behält sie. Ihre eigenen Dateien bleiben.',
    confirm: 'Freigabe beenden',
    done: 'Die Freigabe ist beendet.',
  },
  close: 'Schließen',
  cancel: 'Abbrechen',
  create: {
    title: (count) => `${files(count)} teilen`,
    explain: 'Sie bekommen einen Link. Wer ihn hat, kann diese Dateien öffnen und sonst nichts, auch ohne Konto.',
    expiry: 'Wie lange?',
    presets: { day: '1 Tag', week: '7 Tage', month: '30 Tage', never: 'Bis ich sie beende' },
    drops: 'Wurde Ihnen eine dieser Dateien geschickt, werden auch Name und Nachricht des Absenders geteilt.',
    submit: 'Freigabelink anlegen',
    making: 'Wird verschlüsselt\u00a0…',
  },
  made: {
    title: 'Ihr Freigabelink',
    once: 'Er wird nur jetzt angezeigt.',
    warning:
      'Kopieren Sie den Link jetzt. Der Teil nach # ist der Schlüssel, und er ist sonst nirgends gespeichert, weder auf dem Server noch hier. Wer den Link bekommt, kann die Dateien öffnen: Behandeln Sie ihn wie einen Schlüssel.',
    address: 'Freigabelink',
    copy: 'Freigabelink kopieren',
    copied: 'Kopiert',
    copyFailed: 'Ihr Browser erlaubt das Kopieren nicht. Markieren Sie den Link und kopieren Sie ihn.',
    qr: 'QR-Code des Freigabelinks',
    until: (when) => `Er funktioniert bis ${when}, oder bis Sie die Freigabe beenden.`,
    forever: 'Er funktioniert, bis Sie die Freigabe beenden.',
    done: 'Ich habe ihn kopiert',
    sure: 'Sie haben den Link hier nicht kopiert. Wenn Sie dies schließen, ist er verloren.',
    closeAnyway: 'Trotzdem schließen',
  },
}
