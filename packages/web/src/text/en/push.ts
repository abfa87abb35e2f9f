import { number, plural } from './counts.ts'

/** The words of notifications. The service worker has no others. */
export const push = {
  landed: (count: number, { server, when }: { readonly server: string; readonly when: string }) => ({
    title: `${number(count)} ${plural(count, 'file has', 'files have')} arrived`,
    body: `In your inbox on ${server}. The last one: ${when}.`,
  }),
  nearlyFull: (server: string) => ({
    title: 'Your inbox is nearly full',
    body: `Your inbox on ${server} is nearly full. Take files out before guests are refused.`,
  }),
  refused: (server: string) => ({
    title: 'A guest could not send a file',
    body: `A guest could not send a file to your inbox on ${server}. Your links there say why, and what helps.`,
  }),
  test: (server: string) => ({
    title: 'Test',
    body: `This is a test from ${server}. Messages like this one will say that files have arrived.`,
  }),
  unknown: {
    title: 'Blindkeep',
    body: 'The server has sent a message that this browser does not understand. Open the inbox.',
  },
}
