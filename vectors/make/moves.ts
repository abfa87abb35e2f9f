/** Signed changes of attestation keys, the names that they give to keys, and receipts of both names of a server. */
import { toBase64, toHex } from '@blindkeep/protocol/bytes'
import { checkChain } from '@blindkeep/protocol/chain'
import { type Era, type EraFault, eraFault, readEras } from '@blindkeep/protocol/eras'
import {
  decodeKeyChange,
  KeyChangeError,
  type KeyChangeFault,
  keyChangeToBeSigned,
  type SignedKeyChange,
} from '@blindkeep/protocol/keyChange'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import { nodeVerifiers } from '../../testing/nodeVerifiers.ts'
import { known } from './inputs.ts'
import { keyChangeRefusals } from './keyChangeRefusals.ts'
import {
  ACCEPTED,
  all,
  BEGUN,
  FIRST,
  firstThree,
  firstTwo,
  HOME,
  K1,
  K2,
  K3,
  K4,
  last,
  NAME,
  NEXT,
  one,
  r1,
  r2,
  r3,
  r4,
  r5,
  r6,
  receiptOf,
  SECOND,
  STATEMENTS,
  type StatementName,
  THIRD,
  type Told,
  two,
} from './movedServer.ts'
import { createTestKey } from './testKey.ts'

type Refused = Told & { readonly reason: KeyChangeFault }
const whole = { server_id: NEXT, keys: all, rotations: ['a rotation'] } as const
const moved = { server_id: NAME, keys: firstTwo } as const
const after = (name: StatementName) => ({ ...whole, moves: ['to the name', name] }) as const
const rotatedBy = (name: StatementName) =>
  ({ server_id: NAME, keys: firstThree, moves: ['to the name'], rotations: [name] }) as const

const REFUSED: readonly Refused[] = [
  { name: 'a key without a statement', reason: 'statement_missing', ...moved },
  { name: 'a rotation that is not shown', reason: 'statement_missing', ...after('to the next name'), rotations: [] },
  { name: 'the last move is not shown', reason: 'statement_missing', ...whole, moves: ['to the name'] },
  { name: 'moves in another order', reason: 'statement_missing', ...whole, moves: ['to the next name', 'to the name'] },
  {
    name: 'rotations in another order',
    reason: 'statement_missing',
    server_id: NAME,
    keys: all,
    moves: ['to the name'],
    rotations: ['a second rotation', 'a rotation'],
  },
  { name: 'a move twice', reason: 'statement_surplus', ...moved, moves: ['to the name', 'to the name'] },
  { name: 'two moves to one key', reason: 'statement_surplus', ...moved, moves: ['to the name', 'before any receipt'] },
  {
    name: 'a move and a rotation to one key',
    reason: 'statement_surplus',
    ...moved,
    moves: ['to the name'],
    rotations: ['a rotation from the first key'],
  },
  {
    name: 'a move to a key that is not listed',
    reason: 'statement_surplus',
    ...moved,
    moves: ['to the name', 'to the next name'],
  },
  { name: 'a key passed over', reason: 'statement_missing', ...after('a move from the second key to the fourth') },
  { name: 'the two keys swapped', reason: 'statement_missing', ...after('from the fourth key to the third') },
  { name: 'a rotation among the moves', reason: 'content_type', ...moved, moves: ['a rotation from the first key'] },
  { name: 'a move among the rotations', reason: 'content_type', ...moved, rotations: ['to the name'] },
  {
    name: 'an instant that is not the end of the key',
    reason: 'times_differ',
    ...moved,
    moves: ['a move at another instant'],
  },
  { name: 'a rotation at another instant', reason: 'times_differ', ...rotatedBy('a rotation at another instant') },
  {
    name: 'a key that begins after the statement',
    reason: 'times_differ',
    server_id: NAME,
    keys: [known(one), { key: K2, from: SECOND }],
    moves: ['to the name'],
  },
  {
    name: 'a key that ends before the statement',
    reason: 'times_differ',
    server_id: NAME,
    keys: [{ key: K1, from: BEGUN, to: BEGUN }, last(known(two))],
    moves: ['to the name'],
  },
  { name: 'a head that falls', reason: 'head_differs', ...rotatedBy('a rotation with a lower head') },
  { name: 'no head where there was one', reason: 'head_differs', ...rotatedBy('a rotation before any receipt') },
  {
    name: 'the same head with another hash',
    reason: 'head_differs',
    ...rotatedBy('a rotation with another hash of the head'),
  },
  { name: 'the first move has number 2', reason: 'number_differs', ...moved, moves: ['a first move with number 2'] },
  { name: 'a number left out', reason: 'number_differs', ...after('a third move in place of the second') },
  { name: 'the number 1 twice', reason: 'number_differs', ...after('a second first move') },
  { name: 'another prior move', reason: 'prior_move_differs', ...after('a second move after another first') },
  {
    name: 'a gap of names',
    reason: 'names_differ',
    ...after('from a name that the server did not have'),
    server_id: HOME,
  },
  { name: 'a rotation of the former name', reason: 'names_differ', ...rotatedBy('a rotation of another name') },
  { name: 'the server has another name', reason: 'names_differ', ...moved, server_id: NEXT, moves: ['to the name'] },
  { name: 'the server has its former name', reason: 'names_differ', ...moved, server_id: HOME, moves: ['to the name'] },
]

const stranger = { server_id: HOME, received_at: FIRST } as const

/** Receipts of `away and back again`, and others that truly signed by its keys, but are not of their eras. */
const RECEIPTS: readonly { readonly name: string; readonly receipt: Uint8Array; readonly fault?: EraFault }[] = [
  { name: 'the first', receipt: r1 },
  { name: 'the last under the first name', receipt: r2 },
  { name: 'the first under the second name', receipt: r3 },
  { name: 'the last before the rotation', receipt: r4 },
  { name: 'the first after the rotation', receipt: r5 },
  { name: 'under the first name again', receipt: r6 },
  {
    name: 'of the former name by the key of the next',
    receipt: receiptOf(4, r3, K2, stranger),
    fault: 'other_server',
  },
  {
    name: 'of the next name by the key of the former',
    receipt: receiptOf(2, r1, K1, { server_id: NAME, received_at: FIRST }),
    fault: 'other_server',
  },
  {
    name: 'of a third server',
    receipt: receiptOf(2, r1, K1, { server_id: NEXT, received_at: FIRST }),
    fault: 'other_server',
  },
  { name: 'with a number above the end of its era', receipt: receiptOf(3, r2, K1, stranger), fault: 'outside_era' },
  {
    name: 'with the number at which its era begins',
    receipt: receiptOf(2, r1, K2, { server_id: NAME, received_at: FIRST }),
    fault: 'outside_era',
  },
  {
    name: 'with the last number of its era, but another',
    receipt: receiptOf(2, r1, K1, { ...stranger, size: 9 }),
    fault: 'head_differs',
  },
  {
    name: 'the first of its era, after another receipt',
    receipt: receiptOf(3, r1, K2, { server_id: NAME, received_at: FIRST }),
    fault: 'head_differs',
  },
  {
    name: 'the first of its era, after none',
    receipt: receiptOf(3, undefined, K2, { server_id: NAME, received_at: FIRST }),
    fault: 'head_differs',
  },
  {
    name: 'of a key that is not listed',
    receipt: receiptOf(2, r1, createTestKey(0x10), stranger),
    fault: 'key_unknown',
  },
]

const NAME_CHANGES = [
  { from: HOME, to: NAME, lastReceiptSeq: 2 },
  { from: NAME, to: HOME, lastReceiptSeq: 5 },
]

const CHAINS: readonly {
  readonly name: string
  readonly receipts: readonly Uint8Array[]
  readonly fault?: string
}[] = [
  { name: 'the whole log', receipts: [r1, r2, r3, r4, r5, r6] },
  { name: 'across a move, with gaps', receipts: [r1, r4] },
  { name: 'across both moves', receipts: [r2, r6] },
  {
    name: 'a former name after the move',
    receipts: [r2, receiptOf(3, r2, K1, stranger)],
    fault: 'other_server',
  },
  {
    name: 'the next name before the move',
    receipts: [r1, receiptOf(2, r1, K1, { server_id: NAME, received_at: FIRST })],
    fault: 'other_server',
  },
  {
    name: 'the first name again, before the move back',
    receipts: [r3, receiptOf(5, r4, K3, { server_id: HOME, received_at: THIRD })],
    fault: 'other_server',
  },
]

export async function moveVectors() {
  const eras = await erasOf(known(ACCEPTED.at(-1)))
  for (const { name, receipt, fault } of RECEIPTS)
    if (eraFault(decodeReceipt(receipt), eras) !== fault) throw new Error(`${name} is judged otherwise`)
  return {
    keys: [K1, K2, K3, K4].map(({ described }) => described),
    statements: Object.entries(STATEMENTS).map(([name, statement]) => ({ name, ...described(statement) })),
    invalid_statements: keyChangeRefusals(STATEMENTS['to the name'], STATEMENTS['before any receipt'], {
      old: K1,
      next: K2,
      stranger: K4,
    }).map(({ name, reason, leave, arrive }) => ({ name, reason, leave: toBase64(leave), arrive: toBase64(arrive) })),
    valid: await Promise.all(
      ACCEPTED.map(async (told) => ({ ...shown(told), eras: (await erasOf(told)).map(shownEra) })),
    ),
    invalid: await Promise.all(REFUSED.map(async (told) => ({ ...shown(told), reason: await refusalOf(told) }))),
    receipts: {
      of: known(ACCEPTED.at(-1)).name,
      moves: NAME_CHANGES.map(({ from, to, lastReceiptSeq }) => ({ from, to, last_receipt_seq: lastReceiptSeq })),
      judged: RECEIPTS.map(({ name, receipt, fault }) => ({
        name,
        receipt_cbor: toBase64(receipt),
        fault: fault ?? null,
      })),
      chains: CHAINS.map(({ name, receipts, fault }) => ({
        name,
        receipts: receipts.map(toBase64),
        break: breakOf(receipts, fault),
      })),
    },
  }
}

function described(statement: SignedKeyChange) {
  const { change, hash } = decodeKeyChange(statement)
  const payload = toHex(keyChangeToBeSigned(change).leave.payload)
  return { ...change, hash, payload, leave: toBase64(statement.leave), arrive: toBase64(statement.arrive) }
}

function shown({ name, server_id, keys, moves = [], rotations = [] }: Told) {
  const listed = keys.map(({ key, from, to }) => ({
    key_id: key.keyId,
    active_from: from,
    ...(to === undefined ? {} : { active_to: to }),
  }))
  return { name, server_id, keys: listed, moves, rotations }
}

function shownEra({ keyId, serverId, after: begin, afterHash, upTo, upToHash, until }: Era) {
  const none = (value: unknown) => value ?? null
  return {
    key_id: keyId,
    server_id: serverId,
    after: begin,
    after_hash: none(afterHash),
    up_to: none(upTo),
    up_to_hash: none(upToHash),
    until: none(until),
  }
}

function erasOf({ server_id, keys, moves = [], rotations = [] }: Told): Promise<readonly Era[]> {
  return readEras({
    serverId: server_id,
    keys: keys.map(({ key, from, to }) => ({
      keyId: key.keyId,
      publicKey: key.publicKey,
      activeFrom: from,
      activeTo: to,
    })),
    moves: moves.map((name) => STATEMENTS[name]),
    rotations: rotations.map((name) => STATEMENTS[name]),
    verify: nodeVerifiers,
  })
}

async function refusalOf(told: Refused): Promise<KeyChangeFault> {
  try {
    await erasOf(told)
  } catch (error) {
    if (error instanceof KeyChangeError && error.reason === told.reason) return error.reason
    throw error
  }
  throw new Error(`${told.name} is accepted`)
}

function breakOf(receipts: readonly Uint8Array[], expected: string | undefined) {
  const broken = checkChain(receipts.map(decodeReceipt), { moves: NAME_CHANGES })
  if (broken?.fault !== expected) throw new Error(`a chain breaks at ${broken?.index} by ${broken?.fault}`)
  return broken ?? null
}
