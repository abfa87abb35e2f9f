/** P13: how long others wait while the server answers with a full inbox. */
import { randomBytes } from 'node:crypto'
import { type Connection, drive, expectStatus, requestOf } from '../load.ts'
import { newLink, newOwner } from '../owner.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row } from '../row.ts'
import { dropsThrough, prepareFile, sendAll } from '../uploads.ts'

const CLIENTS = 32
const INBOXES = 5

export const inbox: Row = {
  name: 'inbox',
  ids: ['P13'],
  what: `the longest wait of another request while an inbox of 10,000 drops is answered ${INBOXES} times`,
  async open(options) {
    const drops = options.isQuick ? 50 : 10_000
    const server = await startBlindkeep(options)
    const owner = await newOwner(server)
    const files = Array.from({ length: drops }, () => prepareFile(randomBytes(64), 64))
    const protocols = [dropsThrough(await newLink(server, owner))]
    await sendAll(files, { port: server.port, clients: CLIENTS, protocols })
    const headers = { authorization: `Bearer ${owner.token}` }
    const list = requestOf({ method: 'GET', path: '/v1/drops', headers })
    const other = requestOf({ method: 'GET', path: '/v1/quota', headers })
    const lane: Lane = {
      name: 'the longest wait of a request for the quota',
      async measure() {
        let isAnswering = true
        let longest = 0
        async function ask(connection: Connection, index: number): Promise<void> {
          if (index === 0) {
            for (let count = 0; count < INBOXES; count++) expectStatus(await connection.ask(list), 200)
            isAnswering = false
          }
          while (isAnswering) {
            const askedAt = performance.now()
            expectStatus(await connection.ask(other), 200)
            longest = Math.max(longest, performance.now() - askedAt)
          }
        }
        await drive({ port: server.port, clients: 2, count: 2, work: ask })
        return { value: longest }
      },
    }
    return { unit: 'ms', lanes: [lane], comparisons: [{ id: 'P13', lane, most: 50 }] }
  },
}
