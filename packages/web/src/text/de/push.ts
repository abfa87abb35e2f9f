import type { push as english } from '../en/push.ts'
import { number, plural } from './counts.ts'

export const push: typeof english = {
  landed: (count, { server, when }) => ({
    title: `${number(count)} ${plural(count, 'Datei ist', 'Dateien sind')} angekommen`,
    body: `In Ihrem Eingang auf ${server}. Die letzte: ${when}.`,
  }),
  test: (server) => ({
    title: 'Test',
    body: `Dies ist ein Test von ${server}. Solche Nachrichten sagen Ihnen, dass Dateien angekommen sind.`,
  }),
  unknown: {
    title: 'Blindkeep',
    body: 'Der Server hat eine Nachricht gesendet, die dieser Browser nicht versteht. Öffnen Sie den Eingang.',
  },
}
