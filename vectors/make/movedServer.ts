/** A server that moves twice and replaces its key once: its keys, its receipts, and statements, true and false ones. */
import { toHex } from '@blindkeep/protocol/bytes'
import { assembleCose } from '@blindkeep/protocol/cose'
import { parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import {
  decodeKeyChange,
  type KeyChange,
  keyChangeToBeSigned,
  type MovePayload,
  type RotationPayload,
  type SignedKeyChange,
} from '@blindkeep/protocol/keyChange'
import { type ReceiptPayload, receiptHash } from '@blindkeep/protocol/receipt'
import { known, rising } from './inputs.ts'
import { issue, receiptFields } from './receipts.ts'
import { createTestKey, type TestKey } from './testKey.ts'

export const [K1, K2, K3, K4] = [
  createTestKey(0x00),
  createTestKey(0x40),
  createTestKey(0x80),
  createTestKey(0xc0),
] as const
export const [HOME, NAME, NEXT] = [
  'http://127.0.0.1:8080',
  'https://keep.example',
  'https://drop.example:8443',
] as const
export const BEGUN = '2026-01-01T00:00:00.000Z'
export const [FIRST, SECOND, THIRD] = [
  '2026-03-02T00:00:00.000Z',
  '2026-04-01T00:00:00.000Z',
  '2026-05-01T12:00:00.001Z',
] as const

const KEYS = new Map([K1, K2, K3, K4].map((key) => [key.keyId, key]))
const ids = (old: TestKey, next: TestKey) => ({ old_key: old.keyId, new_key: next.keyId })

type ServerPart = Pick<ReceiptPayload, 'server_id' | 'received_at'> & { readonly size?: number }

export function receiptOf(seq: number, prior: Uint8Array | undefined, key: TestKey, over: ServerPart): Uint8Array {
  const prior_receipt_hash = prior === undefined ? undefined : receiptHash(prior)
  return issue({ ...receiptFields, receipt_seq: seq, prior_receipt_hash, ...over }, key)
}

/** HOME has signed two receipts, NAME two and after a rotation one, and HOME again one. */
export const r1 = receiptOf(1, undefined, K1, { server_id: HOME, received_at: '2026-03-01T10:00:00.000Z' })
export const r2 = receiptOf(2, r1, K1, { server_id: HOME, received_at: FIRST })
export const r3 = receiptOf(3, r2, K2, { server_id: NAME, received_at: FIRST })
export const r4 = receiptOf(4, r3, K2, { server_id: NAME, received_at: '2026-03-30T00:00:00.000Z' })
export const r5 = receiptOf(5, r4, K3, { server_id: NAME, received_at: '2026-04-30T00:00:00.000Z' })
export const r6 = receiptOf(6, r5, K4, { server_id: HOME, received_at: '2026-06-01T00:00:00.000Z' })

const headOf = (seq: number, receipt: Uint8Array) => ({
  last_receipt_seq: seq,
  last_receipt_hash: receiptHash(receipt),
})

const toName: MovePayload = { number: 1, from: HOME, to: NAME, ...ids(K1, K2), ...headOf(2, r2), moved_at: FIRST }
const rotated: RotationPayload = { server_id: NAME, ...ids(K2, K3), ...headOf(4, r4), rotated_at: SECOND }
const prior_move_hash = hashOf({ kind: 'move', ...toName })
const toNext: MovePayload = {
  number: 2,
  prior_move_hash,
  from: NAME,
  to: NEXT,
  ...ids(K3, K4),
  ...headOf(5, r5),
  moved_at: THIRD,
}
const silent: MovePayload = { number: 1, from: HOME, to: NAME, ...ids(K1, K2), moved_at: FIRST }

function hashOf(change: KeyChange): Sha256Hex {
  return decodeKeyChange(signed(change)).hash
}

function signed(change: KeyChange): SignedKeyChange {
  const { leave, arrive } = keyChangeToBeSigned(change)
  return {
    leave: assembleCose(leave, known(KEYS.get(change.old_key)).sign(leave)),
    arrive: assembleCose(arrive, known(KEYS.get(change.new_key)).sign(arrive)),
  }
}

const move = (payload: MovePayload) => signed({ kind: 'move', ...payload })
const rotation = (payload: RotationPayload) => signed({ kind: 'rotation', ...payload })
const anotherHash = known(parseSha256Hex(toHex(rising(7, 32))))

/** By the names under which the file refers to them. All are truly signed. */
export const STATEMENTS = {
  'to the name': move(toName),
  'a rotation': rotation(rotated),
  'to the next name': move(toNext),
  'back again': move({ ...toNext, to: HOME }),
  'before any receipt': move(silent),
  'a rotation before any receipt': rotation({ server_id: NAME, ...ids(K2, K3), rotated_at: SECOND }),
  'a rotation from the first key': rotation({
    ...rotated,
    server_id: HOME,
    ...ids(K1, K2),
    ...headOf(2, r2),
    rotated_at: FIRST,
  }),
  'a second rotation': rotation({ server_id: NAME, ...ids(K3, K4), ...headOf(5, r5), rotated_at: THIRD }),
  'a rotation of another name': rotation({ ...rotated, server_id: HOME }),
  'a rotation at another instant': rotation({ ...rotated, rotated_at: THIRD }),
  'a rotation with a lower head': rotation({ ...rotated, ...headOf(1, r1) }),
  'a rotation with another hash of the head': rotation({ ...rotated, ...headOf(2, r1) }),
  'a move from the second key to the fourth': move({ ...toNext, ...ids(K2, K4) }),
  'from the fourth key to the third': move({ ...toNext, ...ids(K4, K3) }),
  'a first move with number 2': move({ ...toName, number: 2, prior_move_hash: anotherHash }),
  'a third move in place of the second': move({ ...toNext, number: 3 }),
  'a second first move': move({ ...toNext, number: 1, prior_move_hash: undefined }),
  'a second move after another first': move({ ...toNext, prior_move_hash: anotherHash }),
  'from a name that the server did not have': move({ ...toNext, from: NEXT, to: HOME }),
  'a move at another instant': move({ ...toName, moved_at: BEGUN }),
} as const

export type StatementName = keyof typeof STATEMENTS

interface ListedKey {
  readonly key: TestKey
  readonly from: string
  readonly to?: string
}

export interface Told {
  readonly name: string
  readonly server_id: string
  readonly keys: readonly ListedKey[]
  readonly moves?: readonly StatementName[]
  readonly rotations?: readonly StatementName[]
}

export const [one, two, three, four]: readonly ListedKey[] = [
  { key: K1, from: BEGUN, to: FIRST },
  { key: K2, from: FIRST, to: SECOND },
  { key: K3, from: SECOND, to: THIRD },
  { key: K4, from: THIRD },
]
export const last = ({ key, from }: ListedKey): ListedKey => ({ key, from })
export const [all, firstTwo] = [[one, two, three, four].map(known), [known(one), last(known(two))]]
export const firstThree = [known(one), known(two), last(known(three))]

export const ACCEPTED: readonly Told[] = [
  { name: 'one key', server_id: HOME, keys: [last(known(one))] },
  { name: 'one move', server_id: NAME, keys: firstTwo, moves: ['to the name'] },
  { name: 'one move before any receipt', server_id: NAME, keys: firstTwo, moves: ['before any receipt'] },
  {
    name: 'a move and a rotation before any receipt',
    server_id: NAME,
    keys: firstThree,
    moves: ['before any receipt'],
    rotations: ['a rotation before any receipt'],
  },
  { name: 'one rotation', server_id: HOME, keys: firstTwo, rotations: ['a rotation from the first key'] },
  {
    name: 'a move and a rotation',
    server_id: NAME,
    keys: firstThree,
    moves: ['to the name'],
    rotations: ['a rotation'],
  },
  {
    name: 'a move and two rotations',
    server_id: NAME,
    keys: all,
    moves: ['to the name'],
    rotations: ['a rotation', 'a second rotation'],
  },
  {
    name: 'two moves and a rotation',
    server_id: NEXT,
    keys: all,
    moves: ['to the name', 'to the next name'],
    rotations: ['a rotation'],
  },
  {
    name: 'away and back again',
    server_id: HOME,
    keys: all,
    moves: ['to the name', 'back again'],
    rotations: ['a rotation'],
  },
]
