import { createHash, type Hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Body } from './bodies.ts'
import { MAX_PART_BYTES, type StoredObject } from './bucket.ts'
import { type Answer, type Call, header } from './call.ts'
import { S3Error } from './errors.ts'

/** PutObject. */
export async function putObject(call: Call): Promise<Answer> {
  const object = await takeBody(call)
  const isConditional = header(call, 'if-none-match') !== undefined
  if (isConditional && call.bucket.objects.has(call.key)) throw new S3Error('PreconditionFailed')
  call.bucket.objects.set(call.key, object)
  return { status: 200, headers: { etag: `"${object.etag}"` } }
}

/** Reads a PutObject's or UploadPart's body and checks every given hash. Nothing is stored if one differs. */
export async function takeBody(call: Call): Promise<StoredObject> {
  const length = declaredLength(call)
  const md5 = createHash('md5')
  const checks = call.store.checksHashes ? checksOf(call) : []
  let bytes = 0
  const body: Body = await call.store.bodies.take(call.request, (piece) => {
    bytes += piece.length
    md5.update(piece)
    for (const check of checks) check.update(piece)
  })
  // Node ends a body that was cut with an error, so this says that our own count is right.
  if (bytes !== length) throw new S3Error('InvalidRequest', 'the body has another length than Content-Length')
  for (const check of checks) check.end()
  return { body, etag: md5.digest('hex'), modified: new Date(call.store.now()) }
}

function declaredLength(call: Call): number {
  const length = header(call, 'content-length')
  if (length === undefined) throw new S3Error('MissingContentLength')
  if (header(call, 'x-amz-content-sha256')?.startsWith('STREAMING-'))
    throw new S3Error('NotImplemented', 'a body in signed chunks is not implemented')
  if (Number(length) > MAX_PART_BYTES) throw new S3Error('EntityTooLarge')
  return Number(length)
}

interface Check {
  update(piece: Buffer): void
  /** Throws `S3Error` if the hash is not the declared one. */
  end(): void
}

function checksOf(call: Call): readonly Check[] {
  const payload = header(call, 'x-amz-content-sha256')
  const declared = [
    payload === 'UNSIGNED-PAYLOAD'
      ? undefined
      : hashCheck(createHash('sha256'), 'hex', payload, 'XAmzContentSHA256Mismatch'),
    hashCheck(createHash('md5'), 'base64', header(call, 'content-md5'), 'BadDigest'),
    hashCheck(createHash('sha256'), 'base64', header(call, 'x-amz-checksum-sha256'), 'BadDigest'),
    crcCheck(header(call, 'x-amz-checksum-crc32')),
  ]
  return declared.filter((check) => check !== undefined)
}

function hashCheck(
  hash: Hash,
  encoding: 'hex' | 'base64',
  expected: string | undefined,
  code: 'BadDigest' | 'XAmzContentSHA256Mismatch',
): Check | undefined {
  if (expected === undefined) return undefined
  return {
    update: (piece) => void hash.update(piece),
    end() {
      if (hash.digest(encoding) !== expected) throw new S3Error(code)
    },
  }
}

function crcCheck(expected: string | undefined): Check | undefined {
  if (expected === undefined) return undefined
  let sum = 0
  return {
    update(piece) {
      sum = crc32(piece, sum)
    },
    end() {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(sum)
      if (bytes.toString('base64') !== expected) throw new S3Error('BadDigest')
    },
  }
}
