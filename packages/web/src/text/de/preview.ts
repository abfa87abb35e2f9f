export const preview: typeof import('../en/preview.ts').preview = {
  title: (name) => `Vorschau von ${name}`,
  opening: 'Wird geöffnet …',
  textCut: (size) => `Das sind die ersten ${size} des Textes. Laden Sie die Datei herunter, um alles zu sehen.`,
  empty: 'Die Datei ist leer.',
  unknown: 'Für diese Art von Datei gibt es keine Vorschau. Laden Sie sie herunter, um sie anzusehen.',
  tooLarge: 'Das Bild ist zu groß, um hier gezeigt zu werden. Laden Sie es herunter, um es anzusehen.',
  failed:
    'Ihr Browser kann diese Datei nicht zeigen. Vielleicht ist sie beschädigt oder von einer Art, die er nicht kennt. Herunterladen können Sie sie trotzdem.',
  again: 'Noch einmal versuchen',
}
