import { type MessagePort, parentPort } from 'node:worker_threads'
import { argon2id } from '@noble/hashes/argon2.js'
import type { Cost } from './argon2.ts'

export interface Argon2Order extends Cost {
  readonly message: Uint8Array
  readonly nonce: Uint8Array
  readonly tagLength: number
}

export type Argon2Answer = { readonly tag: Uint8Array } | { readonly error: unknown }

/** Answers one order after another, in their order. */
function serve(port: MessagePort): void {
  port.on('message', (order: Argon2Order) => port.postMessage(answerTo(order)))
}

function answerTo({ message, nonce, memory, passes, parallelism, tagLength }: Argon2Order): Argon2Answer {
  try {
    return { tag: argon2id(message, nonce, { m: memory, t: passes, p: parallelism, dkLen: tagLength }) }
  } catch (error) {
    return { error }
  }
}

if (parentPort !== null) serve(parentPort)
