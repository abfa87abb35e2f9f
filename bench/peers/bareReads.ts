/**
 * A peer for reads that does only what no server can leave out that keeps a log: Node's server, one line of the log for
 * each request, and with a database one read in it. It always sends the same text, and checks nothing. Prints its port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { sessionReader } from '../bareDatabase.ts'
import { logLines } from './logLines.ts'

const [text = '', path] = process.argv.slice(2)
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
const read = path === undefined ? () => undefined : sessionReader(new DatabaseSync(path, { readOnly: true }))
const log = logLines()

const server = createServer((request, response) => {
  const startedAt = performance.now()
  read()
  response.writeHead(200, headers).end(text)
  log(request, startedAt)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
