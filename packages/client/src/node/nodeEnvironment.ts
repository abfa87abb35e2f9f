/** What Node does better than the code for browsers: SHA-256, Argon2id, and sending bytes without copies. */
import * as crypto from 'node:crypto'
import { promisify } from 'node:util'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { ARGON2 } from '@blindkeep/protocol/suites'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { fileHashOf, type RunningHash } from '../ground/sha256.ts'

const PIECE_BYTES = 64 * 1024

export const nodeEnvironment: Environment = {
  ...systemEnvironment,
  fetch: (input, init) => fetch(input, init?.body instanceof Uint8Array ? streamed(init, init.body) : init),
  ...nativeSlowHashes(),
  createHash: nativeHash,
  createFileHash: async () => fileHashOf(nativeHash()),
}

function nativeHash(): RunningHash {
  const hash = crypto.createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') }
}

/**
 * Node's fetch copies a body of bytes twice and leaves the copies to the garbage collector; a stream goes to the socket
 * directly. Its length is named, because some proxies answer 411 to bodies without one, or drop them.
 */
function streamed(init: RequestInit, bytes: Uint8Array): RequestInit & { readonly duplex: 'half' } {
  let sent = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        controller.enqueue(bytes.subarray(sent, sent + PIECE_BYTES))
        sent += PIECE_BYTES
        if (sent >= bytes.length) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = new Headers(init.headers)
  headers.set('Content-Length', String(bytes.length))
  return { ...init, headers, body, duplex: 'half' }
}

/** Node has Argon2 since version 24.7; before, the code for browsers does it, in about a second. */
function nativeSlowHashes(): Partial<Pick<Environment, 'masterOfPassword' | 'passphraseProof'>> {
  const argon2: typeof crypto.argon2 | undefined = crypto.argon2
  if (argon2 === undefined) return {}
  const argon2Async = promisify(argon2)
  /** Same result as `ground/password.ts`: the suite's parameters over the text as UTF-8 in NFKC. */
  const stretch = async (text: string, salt: Uint8Array): Promise<Bytes> => {
    const { memoryKiB: memory, passes, parallelism, bytes: tagLength } = ARGON2
    const message = text.normalize('NFKC')
    return new Uint8Array(
      await argon2Async('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength }),
    )
  }
  return { masterOfPassword: stretch, passphraseProof: stretch }
}
