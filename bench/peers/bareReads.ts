/**
 * A peer for reads that does only what no server can leave out that keeps a log: Node's server, one line of the log for each request, and with a database one
 * read in it. It always sends the same text, and checks nothing. Prints its port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

const [text = '', path] = process.argv.slice(2)
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
const read = path === undefined ? () => undefined : sessionReader(path)
let requests = 0
let lines = ''

const server = createServer((request, response) => {
  const startedAt = performance.now()
  read()
  response.writeHead(200, headers).end(text)
  const line = {
    level: 30,
    time: Date.now(),
    request: ++requests,
    method: request.method,
    path: request.url,
    status: 200,
    ms: performance.now() - startedAt,
  }
  if (lines === '') setImmediate(writeLines)
  lines += `${JSON.stringify(line)}\n`
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))

function writeLines(): void {
  process.stdout.write(lines)
  lines = ''
}

/** Reads a session and its account, as an authenticated request must. */
function sessionReader(database: string): () => unknown {
  const connection = new DatabaseSync(database, { readOnly: true })
  const id = connection.prepare('select session_id from sessions').get()?.session_id ?? ''
  const statement = connection.prepare(
    `select accounts.*, sessions.* from sessions join accounts on accounts.account_id = sessions.account_id where session_id = ?`,
  )
  return () => statement.get(id)
}
