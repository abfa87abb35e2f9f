import type { push as english } from '../en/push.ts'
import { number, plural } from './counts.ts'

export const push: typeof english = {
  landed: (count, { server, when }) => ({
    title: `${number(count)} ${plural(count, 'Datei ist', 'Dateien sind')} angekommen`,
    body: `In Ihrem Eingang auf ${server}. Die letzte: ${when}.`,
  }),
  nearlyFull: (server) => ({
    title: 'Ihr Eingang ist fast voll',
    body: `Ihr Eingang auf ${server} ist fast voll. Nehmen Sie Dateien heraus, bevor Gäste abgewiesen werden.`,
  }),
  refused: (server) => ({
    title: 'Ein Gast konnte eine Datei nicht senden',
    body: `Ein Gast konnte eine Datei nicht an Ihren Eingang auf ${server} senden. Ihre Links dort sagen, warum und was hilft.`,
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
