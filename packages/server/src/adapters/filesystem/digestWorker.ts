import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { systemCode } from './failure.ts'

/** Of each read. Less costs more calls, more gains nothing and lets an abort wait longer. */
const READ_BYTES = 1024 * 1024

export interface DigestOrder {
  readonly path: string
  /** Bytes to hash at most. */
  readonly size: number
  /** One number in shared memory; anything but 0 asks to stop. A message could not, as none is looked at while a file is read. */
  readonly stop: Int32Array
}

/** What became of an order: lowercase hex and the bytes that are there, the system's code with its error, or nothing when it was asked to stop. */
export type DigestAnswer =
  | { readonly kind: 'digested'; readonly sha256: string; readonly size: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly code: string | undefined }
  | { readonly kind: 'stopped' }

/** The body of a thread that does nothing else, which is why its calls may block: it takes one order after another and answers each. */
function serve(port: MessagePort): void {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  port.on('message', (order: DigestOrder) => port.postMessage(answerTo(order, buffer)))
}

function answerTo(order: DigestOrder, buffer: Buffer): DigestAnswer {
  try {
    const descriptor = openSync(order.path, 'r')
    try {
      return digestOf(descriptor, order, buffer)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    // An error that is sent keeps its message and loses its code.
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
