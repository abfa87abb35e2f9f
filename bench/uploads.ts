/** One client for two protocols: it creates an upload and sends chunk after chunk on one connection. */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sha256 } from './ids.ts'
import {
  type Answer,
  type Connection,
  type Drive,
  type Driven,
  drive,
  expectStatus,
  headerOf,
  type Request,
  requestOf,
} from './load.ts'

/** Hashed before the measurement, as a client hashes while it reads the file. */
export interface PreparedFile {
  readonly size: number
  readonly hash: string
  readonly chunks: readonly PreparedChunk[]
}

interface PreparedChunk {
  readonly offset: number
  readonly bytes: Uint8Array
  readonly checksum: string
}

interface UploadProtocol {
  create(file: PreparedFile): Request
  /** The path for the chunks. */
  pathOf(created: Answer): string
  append(path: string, chunk: PreparedChunk): Request
}

export function prepareFile(bytes: Uint8Array, chunkBytes: number): PreparedFile {
  const offsets = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) => index * chunkBytes)
  const chunks = offsets.map((offset) => {
    const chunk = bytes.subarray(offset, offset + chunkBytes)
    return { offset, bytes: chunk, checksum: sha256(chunk) }
  })
  return { size: bytes.length, hash: sha256(bytes), chunks }
}

export interface Senders extends Pick<Drive, 'port' | 'clients'> {
  /** Each file takes the next one in turn. */
  readonly protocols: readonly UploadProtocol[]
  /** Sends a chunk again that the server had no memory for, as clients do. */
  readonly isPatient?: boolean
}

/** `lastPath` is the path of the upload that ended last. */
export async function sendAll(
  files: readonly PreparedFile[],
  { protocols, isPatient = false, ...senders }: Senders,
): Promise<Driven & { readonly lastPath: string }> {
  let lastPath = ''
  const work = async (connection: Connection, index: number) => {
    const file = files[index]
    const protocol = protocols[index % protocols.length]
    if (file !== undefined && protocol !== undefined)
      lastPath = await sendFile({ connection, isPatient }, protocol, file)
  }
  const driven = await drive({ ...senders, count: files.length, work })
  return { ...driven, lastPath }
}

interface Sender {
  readonly connection: Connection
  readonly isPatient: boolean
}

/** Returns the path of the upload when its last chunk is acknowledged. */
async function sendFile(sender: Sender, protocol: UploadProtocol, file: PreparedFile): Promise<string> {
  const path = protocol.pathOf(expectStatus(await sender.connection.ask(protocol.create(file)), 201))
  for (const chunk of file.chunks) expectStatus(await sendChunk(sender, protocol.append(path, chunk)), 204)
  return path
}

const PAUSE_MS = 100

async function sendChunk({ connection, isPatient }: Sender, request: Request): Promise<Answer> {
  for (;;) {
    const answer = await connection.ask(request)
    if (!isPatient || !answer.body.includes('error.request.overloaded')) return answer
    await wait(PAUSE_MS)
  }
}

/** A guest's drops. The last chunk's answer: bytes hashed and durable, receipt in the log. */
export function dropsThrough(opaqueId: string): UploadProtocol {
  const kemCt = randomBytes(1120).toString('base64')
  return {
    create({ size, hash }) {
      const body = { content_type: 'application/octet-stream', size, ciphertext_hash: hash, kem_ct: kemCt }
      const headers = { 'content-type': 'application/json' }
      return requestOf({ method: 'POST', path: `/d/${opaqueId}`, headers, body: Buffer.from(JSON.stringify(body)) })
    },
    pathOf({ body }) {
      const created: { readonly upload_id: string } = JSON.parse(body.toString())
      return `/d/${opaqueId}/${created.upload_id}`
    },
    append(path, { offset, bytes, checksum }) {
      const position = { 'x-service-offset': String(offset), 'x-service-checksum': checksum }
      return requestOf({ ...patch(path, bytes), headers: { 'content-type': 'application/octet-stream', ...position } })
    },
  }
}

/** tus 1.0.0 with its creation extension. */
export const tusUploads: UploadProtocol = {
  create({ size }) {
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(size) }
    return requestOf({ method: 'POST', path: '/files', headers })
  },
  pathOf(created) {
    const location = headerOf(created, 'location')
    if (location === undefined) throw new Error('an upload was created without a location')
    // An address, or a path.
    return new URL(location, 'http://127.0.0.1').pathname
  },
  append(path, { offset, bytes }) {
    const headers = { 'tus-resumable': '1.0.0', 'upload-offset': String(offset) }
    return requestOf({
      ...patch(path, bytes),
      headers: { 'content-type': 'application/offset+octet-stream', ...headers },
    })
  },
}

function patch(path: string, body: Uint8Array) {
  return { method: 'PATCH', path, body } as const
}
