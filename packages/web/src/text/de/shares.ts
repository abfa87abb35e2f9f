const files = (count: number) => (count === 1 ? '1 Datei' : `${count} Dateien`)

export const shares: typeof import('../en/shares.ts').shares = {
  title: 'Freigaben',
  intro:
    'Eine Freigabe zeigt Dateien von Ihnen allen, die ihre Adresse haben. Wählen Sie dazu in einem Album Dateien aus.',
  loading: 'Ihre Freigaben werden geholt …',
  none: {
    title: 'Sie teilen nichts',
    text: 'Wählen Sie in einem Album Dateien aus und dann „Teilen“. Sie bekommen eine Adresse, die Sie weitergeben können.',
    toAlbums: 'Zu den Alben',
  },
  list: 'Ihre Freigaben',
  name: (id) => `Freigabe …/v/${id}…`,
  created: (when) => `Angelegt am ${when}`,
  until: (when) => `Endet am ${when}`,
  ended: (when) => `Endete am ${when}`,
  forever: 'Bis Sie sie beenden',
  live: 'Offen',
  expired: 'Vorbei',
  addressGone:
    'Die Adresse wurde einmal gezeigt, beim Anlegen. Ist sie verloren, beenden Sie die Freigabe und legen aus denselben Dateien eine neue an.',
  end: {
    button: 'Beenden',
    buttonOf: (id) => `Freigabe …/v/${id}… beenden`,
    title: 'Diese Freigabe beenden?',
    text: 'Ihre Adresse zeigt von nun an nichts mehr. Wer eine Datei schon gespeichert hat, behält sie. Ihre eigenen Dateien bleiben.',
    confirm: 'Freigabe beenden',
    done: 'Die Freigabe ist beendet.',
  },
  close: 'Schließen',
  cancel: 'Abbrechen',
  create: {
    title: (count) => `${files(count)} teilen`,
    explain:
      'Sie bekommen eine Adresse. Wer sie hat, sieht diese Dateien und sonst nichts: ohne Konto, ohne Anmeldung.',
    expiry: 'Wie lange?',
    presets: { day: 'Einen Tag', week: 'Eine Woche', month: '30 Tage', never: 'Bis ich sie beende' },
    drops: 'Hat Ihnen jemand eine dieser Dateien geschickt, gehen sein Name und seine Notiz mit.',
    submit: 'Adresse anlegen',
    making: 'Wird versiegelt …',
  },
  made: {
    title: 'Ihre Adresse',
    once: 'Sie sehen sie nur dieses eine Mal.',
    warning:
      'Der Teil nach # ist der Schlüssel. Er steht sonst nirgends, weder auf dem Server noch hier: Kopieren Sie die Adresse jetzt. Wer sie bekommt, kann die Dateien öffnen; geben Sie sie weiter wie einen Schlüssel.',
    address: 'Adresse',
    copy: 'Adresse kopieren',
    copied: 'Kopiert',
    copyFailed: 'Ihr Browser erlaubt es nicht. Markieren Sie die Adresse und kopieren Sie sie von Hand.',
    qr: 'Die Adresse als QR-Code, für eine Kamera',
    until: (when) => `Sie gilt bis ${when}, oder bis Sie sie beenden.`,
    forever: 'Sie gilt, bis Sie sie beenden.',
    done: 'Ich habe sie kopiert',
    sure: 'Sie haben sie hier nicht kopiert. Wird dies geschlossen, ist die Adresse verloren.',
    closeAnyway: 'Trotzdem schließen',
  },
}
