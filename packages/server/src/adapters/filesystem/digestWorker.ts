import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { READ_ONLY, systemCode } from './failure.ts'

/** The size of each read. Smaller reads need more calls; larger ones are not faster and delay an abort. */
const READ_BYTES = 1024 * 1024

export interface DigestOrder {
  readonly path: string
  /** Bytes to hash at most. */
  readonly size: number
  /** Shared memory: anything but 0 stops the thread. A message would not arrive while it reads a file. */
  readonly stop: Int32Array
}

/** The hash in lowercase hex with the size, a failure with the system's code, or that it was stopped. */
export type DigestAnswer =
  | { readonly kind: 'digested'; readonly sha256: string; readonly size: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly code: string | undefined }
  | { readonly kind: 'stopped' }

/** Answers one order after another. Its calls may block, because the thread does nothing else. */
function serve(port: MessagePort): void {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  port.on('message', (order: DigestOrder) => port.postMessage(answerTo(order, buffer)))
}

function answerTo(order: DigestOrder, buffer: Buffer): DigestAnswer {
  try {
    const descriptor = openSync(order.path, READ_ONLY)
    try {
      return digestOf(descriptor, order, buffer)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    // An error that is posted keeps its message but loses its code.
    return { kind: 'failed', error, code: systemCode(error) }
  }
}

function digestOf(descriptor: number, { size, stop }: DigestOrder, buffer: Buffer): DigestAnswer {
  const hash = createHash('sha256')
  let hashed = 0
  while (hashed < size) {
    if (Atomics.load(stop, 0) !== 0) return { kind: 'stopped' }
    const read = readSync(descriptor, buffer, 0, Math.min(buffer.length, size - hashed), null)
    if (read === 0) return { kind: 'digested', sha256: hash.digest('hex'), size: hashed }
    hash.update(buffer.subarray(0, read))
    hashed += read
  }
  return { kind: 'digested', sha256: hash.digest('hex'), size: Math.max(hashed, fstatSync(descriptor).size) }
}

if (parentPort !== null) serve(parentPort)
