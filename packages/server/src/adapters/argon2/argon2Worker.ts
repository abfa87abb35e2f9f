import { argon2id } from '@noble/hashes/argon2.js'
import { answerOrders } from '../../ground/orderThread.ts'

/** The parameters of RFC 9106; `memory` in KiB. */
export interface Argon2Order {
  readonly message: Uint8Array
  readonly nonce: Uint8Array
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
}

answerOrders(({ message, nonce, memory, passes, parallelism, tagLength }: Argon2Order) =>
  argon2id(message, nonce, { m: memory, t: passes, p: parallelism, dkLen: tagLength }),
)
