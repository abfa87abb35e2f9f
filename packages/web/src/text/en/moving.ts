import { number, plural } from './counts.ts'

/** `name`: of the server at its other address, such as drop.example.org. */
export const moving = {
  announced: {
    title: (name: string, day: string) => `This server moves to ${name} on ${day}`,
    what: 'Your files, links and albums move with it. From then on you sign in there, with the same password. That day signs you out everywhere, and browsers get no more messages until you turn them on again.',
    passkeys: (count: number) =>
      `Your ${number(count)} ${plural(count, 'passkey does', 'passkeys do')} not work there: without the password or the recovery words you cannot open your files after that day.`,
    try: 'Try my password now',
    check: 'Check',
    right: 'This is your password. It opens your files here and at the new address.',
    lost: (button: string) =>
      `If you do not know it, set a new one with your recovery words before that day: sign out, and choose “${button}”. If you do not have the words either, download your files before that day.`,
  },
  former: {
    signIn: (name: string, day: string) =>
      `Until ${day} this server was ${name}. Sign in with the same e-mail and password. A password manager keeps them under the former address.`,
    passkeys: 'If you had passkeys there, they do not work here. You can add new ones after you have signed in.',
  },
  look: {
    title: (name: string, day: string) => `This server moved here from ${name} on ${day}`,
    what: 'This browser remembers nothing of what it knew there, such as keys that you have revoked. Look once through your signing keys and sign-ins, and end what you do not know.',
    open: 'Look at them under Account',
    done: 'I have looked',
  },
  moved: {
    title: 'The server has moved to another address',
    what: 'This page can do nothing more. Reload it: that leads to the new address. Sign in there with the same password.',
    reload: 'Reload this page',
  },
}
