import { number } from './counts.ts'

export const preview: typeof import('../en/preview.ts').preview = {
  title: (name) => `Vorschau von ${name}`,
  opening: 'Wird geöffnet\u00a0…',
  textCut: (size) => `Das sind die ersten ${size} des Textes. Laden Sie die Datei herunter, um alles zu sehen.`,
  empty: 'Die Datei ist leer.',
  unknown: 'Für diese Art von Datei gibt es keine Vorschau. Laden Sie die Datei herunter, um sie zu öffnen.',
  tooLarge: 'Die Datei ist zu groß für eine Vorschau. Laden Sie sie herunter, um sie zu öffnen.',
  failed:
    'Ihr Browser kann diese Datei nicht anzeigen. Vielleicht ist sie beschädigt oder von einer unbekannten Art. Sie können sie trotzdem herunterladen.',
  again: 'Noch einmal versuchen',
  drawing: 'Wird gezeichnet\u00a0…',
  page: (page, pages) => `Seite ${number(page)} von ${number(pages)}`,
  pageBack: 'Vorige Seite',
  pageOn: 'Nächste Seite',
  locked: 'Dieses PDF hat ein Passwort. Laden Sie es herunter und öffnen Sie es dort.',
  notPlayed:
    'Ihr Browser kann diese Datei nicht abspielen. Vielleicht ist sie beschädigt oder von einer unbekannten Art. Sie können sie trotzdem herunterladen.',
  noDecoder:
    'Was diese Art von Datei anzeigt, konnte nicht geladen werden. Versuchen Sie es noch einmal, oder laden Sie die Datei herunter, um sie zu öffnen.',
}
