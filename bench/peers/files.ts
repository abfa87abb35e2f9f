/** A peer that only sends files: Node's server, and a stream of the file at the path. Prints its port. */
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const [directory = ''] = process.argv.slice(2)
const server = createServer((request, response) => {
  const file = createReadStream(join(directory, basename(request.url ?? '')))
  pipeline(file, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
