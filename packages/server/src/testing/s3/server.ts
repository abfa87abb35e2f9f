import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBodies } from './bodies.ts'
import { createBucket } from './bucket.ts'
import type { Answer, Call, Store } from './call.ts'
import { S3Error } from './errors.ts'
import { deleteObject, getObject, headObject, listObjects } from './getting.ts'
import {
  abortUpload,
  completeUpload,
  createUpload,
  listParts,
  listUploads,
  uploadPart,
  uploadPartCopy,
} from './multipart.ts'
import { putObject } from './putting.ts'
import { type Credentials, checkSignature } from './signature.ts'
import { document } from './xml.ts'

/** Instead of an answer. `lost` does the work and cuts the connection; `cut` sends half of the body. */
export type Fault = 'slow down' | 'internal error' | 'forbidden' | 'hang' | 'refused' | 'lost' | 'cut' | 'error in 200'

export interface S3Options {
  /** A free one if it is not given. */
  readonly port?: number
  readonly buckets?: readonly string[]
  readonly credentials?: Credentials
  readonly evenParts?: boolean
  readonly isVersioned?: boolean
  readonly checksHashes?: boolean
  readonly now?: () => number
}

/** An S3 store of our own on loopback, as strict as the real ones: what it accepts, each of them should. */
export interface S3Server {
  readonly endpoint: string
  readonly credentials: Credentials
  readonly store: Store
  /** Every request so far: `PUT key`, `GET key?uploadId`. */
  readonly requests: readonly string[]
  /** Asks for a fault of each request. Undefined answers all of them. */
  /** Further credentials that it accepts from now on. */
  accept(credentials: Credentials): void
  meddle(choose: ((line: string) => Fault | undefined) | undefined): void
  close(): Promise<void>
}

export const TEST_BUCKET = 'blindkeep-test'
const TEST_CREDENTIALS: Credentials = { accessKeyId: 'test-key-id', secretAccessKey: 'test secret + key/of tests' }

export async function startS3(options: S3Options = {}): Promise<S3Server> {
  const { credentials = TEST_CREDENTIALS, buckets = [TEST_BUCKET], now = Date.now } = options
  const { evenParts = false, isVersioned = false, checksHashes = true } = options
  const bodies = await createBodies()
  const byName = new Map(buckets.map((name) => [name, createBucket({ evenParts, now })]))
  const store: Store = { buckets: byName, bodies, isVersioned, checksHashes, now }
  const requests: string[] = []
  const known = [credentials]
  let choose: ((line: string) => Fault | undefined) | undefined

  const server = createServer((request, response) => {
    response.setHeader('date', new Date(now()).toUTCString())
    const line = lineOf(request)
    requests.push(line)
    serve(request, response, { store, known, fault: choose?.(line) }).catch(() => response.destroy())
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    credentials,
    store,
    requests,
    accept: (more) => void known.push(more),
    meddle(chosen) {
      choose = chosen
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await bodies.close()
    },
  }
}

function lineOf({ method, url = '' }: IncomingMessage): string {
  const [path = '', query = ''] = url.split('?')
  const key = decodeURIComponent(path).split('/').slice(2).join('/')
  const names = [...new URLSearchParams(query).keys()].filter((name) => name !== 'x-id')
  return `${method} ${key}${names.length > 0 ? `?${names.join('&')}` : ''}`
}

interface Serving {
  readonly store: Store
  readonly known: readonly Credentials[]
  readonly fault: Fault | undefined
}

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { store, known, fault } = serving
  if (fault === 'hang') return
  if (fault === 'refused') return void request.socket.destroy()
  try {
    if (fault === 'slow down') throw new S3Error('SlowDown', 'Please reduce your request rate.')
    if (fault === 'internal error') throw new S3Error('InternalError')
    if (fault === 'forbidden') throw new S3Error('AccessDenied', 'Access Denied')
    checkSignature(request, known, store.now())
    const call = callOf(request, store)
    if (fault === 'error in 200') return await send(response, { status: 200, body: errorDocument('InternalError', '') })
    const answer = await operationOf(call)(call)
    if (fault === 'lost') return void request.socket.destroy()
    await send(response, answer, fault === 'cut')
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    // The rest of the body is read, so that the client can read the answer.
    request.resume()
    const body = request.method === 'HEAD' ? undefined : errorDocument(error.code, error.message)
    await send(response, { status: error.status, ...(body !== undefined && { body }) })
  }
}

function errorDocument(code: string, message: string): string {
  return document('Error', { Code: code, Message: message, RequestId: '0' }, false)
}

function callOf(request: IncomingMessage, store: Store): Call {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const [, bucketName = '', ...key] = decodeURIComponent(path).split('/')
  const bucket = store.buckets.get(bucketName)
  if (bucket === undefined) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist')
  const { method = '' } = request
  return { request, method, bucketName, bucket, key: key.join('/'), query: new URLSearchParams(query), store }
}

type Operation = (call: Call) => Answer | Promise<Answer>

function operationOf(call: Call): Operation {
  const operation = call.key === '' ? bucketOperation(call) : objectOperation(call)
  if (operation === undefined) throw new S3Error('MethodNotAllowed')
  return operation
}

function bucketOperation({ method, query }: Call): Operation | undefined {
  if (method === 'HEAD') return () => ({ status: 200 })
  if (method !== 'GET') return undefined
  if (query.has('versioning')) return versioning
  return query.has('uploads') ? listUploads : listObjects
}

function versioning({ store }: Call): Answer {
  const body = document('VersioningConfiguration', store.isVersioned ? { Status: 'Enabled' } : {})
  return { status: 200, body }
}

function objectOperation({ method, query, request }: Call): Operation | undefined {
  const isPart = query.has('uploadId')
  const isCopy = request.headers['x-amz-copy-source'] !== undefined
  switch (method) {
    case 'PUT':
      if (!isPart) return isCopy ? undefined : putObject
      return isCopy ? uploadPartCopy : uploadPart
    case 'POST':
      return isPart ? completeUpload : query.has('uploads') ? createUpload : undefined
    case 'GET':
      return isPart ? listParts : getObject
    case 'HEAD':
      return headObject
    case 'DELETE':
      return isPart ? abortUpload : deleteObject
    default:
      return undefined
  }
}

async function send(response: ServerResponse, answer: Answer, isCut = false): Promise<void> {
  const { status, headers, body } = answer
  const text = typeof body === 'string' ? { 'content-type': 'application/xml' } : {}
  response.writeHead(status, { 'x-amz-request-id': '0', ...text, ...headers })
  if (body === undefined || typeof body === 'string') return void response.end(body)
  if (!isCut) return pipeline(Readable.from(body), response)
  for await (const piece of body) {
    response.write(piece.subarray(0, Math.floor(piece.length / 2)), () => response.destroy())
    return
  }
}
