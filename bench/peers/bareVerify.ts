/**
 * A peer for structural verification by HTTP that does only what no server can leave out: Node's server parses the
 * question, reads the session and the rows of the assets, calls `stat` for each file, answers with a verdict for each
 * blob, and writes a line of the log. It checks nothing else. Takes the server's database and the directory of its
 * files. Prints its port.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { areWhole, blobReader, sessionReader } from '../bareDatabase.ts'
import { logLines } from './logLines.ts'

interface Question {
  readonly assets: readonly { readonly asset_id: string; readonly blob_hashes: readonly string[] }[]
}

const [path = '', directory = ''] = process.argv.slice(2)
const database = new DatabaseSync(path, { readOnly: true })
const session = sessionReader(database)
const blobsOf = blobReader(database)
const log = logLines()

const server = createServer((request, response) => {
  const startedAt = performance.now()
  answer(request).then(
    (text) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      response.writeHead(200, headers).end(text)
      log(request, startedAt)
    },
    () => response.writeHead(500).end(),
  )
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))

async function answer(request: IncomingMessage): Promise<string> {
  const { assets }: Question = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const accountId = String(session()?.account_id)
  const rows = blobsOf({ accountId, assetIds: assets.map(({ asset_id }) => asset_id) })
  const whole = await areWhole(rows, directory)
  const results = assets.map(({ asset_id, blob_hashes }, at) => {
    const kept = new Set((rows[at] ?? []).map(({ hash }) => hash))
    const blobs = blob_hashes.map((hash) => ({ hash, stored: kept.has(hash) && whole[at] }))
    return { asset_id, durable: blobs.every(({ stored }) => stored), blobs }
  })
  return JSON.stringify({ results })
}
