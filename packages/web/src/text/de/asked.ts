export const asked: typeof import('../en/asked.ts').asked = {
  heading: 'Fragen',
  whose:
    'Das sind Worte der Person, die diesen Link angelegt hat. Geben Sie keine Passwörter ein. Ihre Antworten werden wie Ihre Dateien verschlüsselt und mit jeder gesendet.',
  optional: '(freiwillig)',
  choose: 'Antwort auswählen',
  faults: {
    missing: 'Bitte beantworten Sie das. Vorher wird nichts gesendet.',
    too_long: (most) => `Verwenden Sie höchstens ${most} Zeichen.`,
    not_a_choice: 'Wählen Sie eine der Antworten.',
    not_a_date: 'Geben Sie ein ganzes Datum mit Tag, Monat und Jahr ein.',
    not_a_number: 'Geben Sie eine Zahl in Ziffern ohne Tausenderzeichen ein, wie 1250,50.',
    two_ways:
      'Das können Tausender oder Nachkommastellen sein. Schreiben Sie Tausender ohne Zeichen, wie 1250, oder Nachkommastellen mit einer 0 mehr, wie 1,2500.',
    too_much: 'Alle Antworten zusammen sind zu lang. Kürzen Sie diese.',
  },
}
