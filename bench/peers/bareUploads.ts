/**
 * A peer for uploads that does only what none can leave out that answers for its bytes: Node's server reads them,
 * hashes each chunk and the whole, writes them, and syncs file and directory before it answers the last chunk. It
 * checks nothing, records nothing and signs nothing; with `--log` it writes the rows and makes the signatures of
 * `bareLog.ts`, and with another word it answers reads with the script of that path. Prints its port.
 */
import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openBareLog } from './bareLog.ts'

interface Upload {
  readonly file: FileHandle
  readonly size: number
  readonly whole: Hash
}

const [path = '', mode] = process.argv.slice(2)
const script = mode === undefined || mode === '--log' ? undefined : await readFile(mode)
const directory = await open(path)
const log = mode === '--log' ? await openBareLog(`${path}.sqlite`) : undefined
const uploads = new Map<string, Upload>()
let created = 0

const server = createServer((request, response) => {
  if (request.method === 'GET') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
  else
    answer(request).then(
      ([status, text = '']) =>
        response.writeHead(status, status === 204 ? {} : { 'content-length': text.length }).end(text),
      () => response.writeHead(500).end(),
    )
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))

/** The text is ASCII. */
async function answer(request: IncomingMessage): Promise<readonly [status: number, text: string | undefined]> {
  if (request.method === 'POST') {
    const { size } = JSON.parse((await request.toArray()).join(''))
    const uploadId = log === undefined ? String(++created) : await log.create(size)
    uploads.set(uploadId, { file: await open(join(path, uploadId), 'w'), size, whole: createHash('sha256') })
    return [201, JSON.stringify({ upload_id: uploadId })]
  }
  if (request.method === 'PUT') return await putWhole(request)
  const uploadId = request.url?.split('/').at(-1) ?? ''
  const upload = uploads.get(uploadId)
  if (upload === undefined) return [404, undefined]
  let position = Number(request.headers['x-service-offset'])
  const hash = position === 0 ? upload.whole : createHash('sha256')
  for await (const piece of request) {
    hash.update(piece)
    if (hash !== upload.whole) upload.whole.update(piece)
    await upload.file.write(piece, 0, piece.length, position)
    position += piece.length
  }
  const checksum = (hash === upload.whole ? hash.copy() : hash).digest('hex')
  if (checksum !== request.headers['x-service-checksum']) return [422, undefined]
  if (position === upload.size) {
    await upload.file.datasync()
    await upload.file.close()
    await directory.sync()
    await log?.land(uploadId)
  }
  return [204, undefined]
}

/** A whole body at once, as `curl -T` sends it. */
async function putWhole(request: IncomingMessage): Promise<readonly [status: number, text: string]> {
  const file = await open(join(path, 'put'), 'w')
  const whole = createHash('sha256')
  for await (const piece of request) {
    whole.update(piece)
    await file.write(piece)
  }
  await file.datasync()
  await file.close()
  await directory.sync()
  return [201, whole.digest('hex')]
}
