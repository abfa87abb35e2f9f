import { number, plural } from './counts.ts'

export const moving: typeof import('../en/moving.ts').moving = {
  announced: {
    title: (name, day) => `Dieser Server zieht am ${day} zu ${name} um`,
    what: 'Ihre Dateien, Links und Alben ziehen mit um. Ab dann melden Sie sich dort an, mit demselben Passwort. An diesem Tag werden Sie überall abgemeldet, und Browser bekommen keine Nachrichten mehr, bis Sie sie wieder einschalten.',
    passkeys: (count) =>
      `${plural(count, 'Ihr Passkey funktioniert', `Ihre ${number(count)} Passkeys funktionieren`)} dort nicht: Ohne das Passwort oder die Wiederher\u00adstellungs\u00adwörter können Sie Ihre Dateien nach diesem Tag nicht öffnen.`,
    try: 'Mein Passwort jetzt ausprobieren',
    check: 'Prüfen',
    right: 'Das ist Ihr Passwort. Es öffnet Ihre Dateien hier und unter der neuen Adresse.',
    lost: (button) =>
      `Wenn Sie es nicht wissen, setzen Sie vor diesem Tag mit Ihren Wiederher\u00adstellungs\u00adwörtern ein neues: Melden Sie sich ab und wählen Sie „${button}“. Wenn Sie auch die Wörter nicht haben, laden Sie Ihre Dateien vor diesem Tag herunter.`,
  },
  former: {
    signIn: (name, day) =>
      `Bis zum ${day} war dieser Server ${name}. Melden Sie sich mit derselben E-Mail-Adresse und demselben Passwort an. Ein Passwortmanager hat sie unter der früheren Adresse.`,
    passkeys:
      'Wenn Sie dort Passkeys hatten: Sie funktionieren hier nicht. Sie können neue anlegen, wenn Sie angemeldet sind.',
  },
  look: {
    title: (name, day) => `Dieser Server ist am ${day} von ${name} hierher umgezogen`,
    what: 'Dieser Browser hat sich nichts von dem gemerkt, was er dort wusste, etwa welche Schlüssel Sie widerrufen haben. Sehen Sie Ihre Signatur\u00adschlüssel und Anmeldungen einmal durch, und beenden Sie, was Sie nicht kennen.',
    open: 'Unter Konto ansehen',
    done: 'Ich habe nachgesehen',
  },
  moved: {
    title: 'Der Server ist an eine andere Adresse umgezogen',
    what: 'Diese Seite kann nichts mehr tun. Laden Sie sie neu: Das führt zur neuen Adresse. Melden Sie sich dort mit demselben Passwort an.',
    reload: 'Diese Seite neu laden',
  },
}
