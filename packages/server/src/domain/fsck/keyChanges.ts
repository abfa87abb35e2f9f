/**
 * The statements that join the attestation keys (protocol, `keyChange.ts`), and the name and the place that they give
 * to the receipts of each key.
 */
import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import type { Era } from '@blindkeep/protocol/eras'
import { type KeyId, parseInstant, type Sha256Hex } from '@blindkeep/protocol/ids'
import { decodeKeyChange, KeyChangeError, verifyKeyChange } from '@blindkeep/protocol/keyChange'
import type { AttestationKey, KeyChangeRow, ReadTx } from '../../ports/store.ts'
import type { SignedChange } from '../discovery/signedChanges.ts'
import { createFinding, type Finding, findBroken, type Rules } from './finding.ts'

/** Of one instant. */
export interface KeyHistory {
  readonly keys: readonly AttestationKey[]
  readonly rows: readonly KeyChangeRow[]
  /** Undefined when the server has written no such fact. */
  readonly serverId: string | undefined
  /** Of the receipts that the statements name as the newest. */
  readonly hashes: ReadonlyMap<number, Sha256Hex | undefined>
}

export async function keyHistoryIn(tx: ReadTx): Promise<KeyHistory> {
  const rows = await tx.keys.keyChanges()
  const serverId = await tx.server.fact('server_id')
  const hashes = new Map<number, Sha256Hex | undefined>()
  for (const row of rows) {
    const read = decoded(row)
    const seq = read instanceof KeyChangeError ? undefined : read.change.last_receipt_seq
    if (seq !== undefined) hashes.set(seq, await tx.receipts.hashOf(seq))
  }
  return {
    keys: await tx.keys.attestationKeys(),
    rows,
    serverId: serverId && new TextDecoder().decode(serverId),
    hashes,
  }
}

/** What the statements before a key say. */
interface Before {
  readonly name: string | undefined
  readonly moves: number
  readonly lastMove: Sha256Hex | undefined
  readonly seq: number
  readonly hash: Sha256Hex | undefined
}

/** The findings, and the eras as far as the statements can be read: without one, a key continues the one before it. */
export async function checkKeyChanges(
  history: KeyHistory,
  verify: HybridVerifiers,
): Promise<{ readonly findings: readonly Finding[]; readonly eras: readonly Era[] }> {
  const { keys, rows, serverId } = history
  const changes = keys.map(({ keyId }) => {
    const row = rows.find((each) => each.keyId === keyId)
    return row && decoded(row)
  })
  const findings: Finding[] = []
  const eras: Era[] = []
  let before: Before = { name: firstNameOf(rows) ?? serverId, moves: 0, lastMove: undefined, seq: 0, hash: undefined }
  for (const [index, key] of keys.entries()) {
    const old = keys[index - 1]
    const change = changes[index]
    if (old === undefined) findings.push(...findBroken({ key_id: key.keyId }, firstRules(change !== undefined)))
    else if (change === undefined || change instanceof KeyChangeError)
      findings.push(createFinding('key_change_wrong', { key_id: key.keyId }, faultOf(change)))
    else {
      const fault = await signatureFault(change.signed, { old, key, verify })
      findings.push(...findBroken({ key_id: key.keyId }, changeRules(change, { before, old, key, fault, history })))
      before = after(before, change)
    }
    eras.push(eraOf(key.keyId, before, nextOf(changes[index + 1])))
  }
  const ofKeys = keys.flatMap(({ keyId }) => rows.filter((row) => row.keyId === keyId))
  const isShuffled = ofKeys.some((row, index) => row !== rows[index])
  const isAnother = eras.length > 0 && before.name !== serverId
  const whole = `the last statement leads to ${before.name}, this server is ${serverId ?? 'without an id'}`
  const serverRules: Rules = [
    [isAnother, 'key_change_wrong', whole],
    [isShuffled, 'key_change_wrong', 'the statements are published in another order than their keys'],
  ]
  return { findings: [...findings, ...findBroken({}, serverRules)], eras }
}

function decoded(signed: KeyChangeRow): SignedChange | KeyChangeError {
  try {
    return { signed, ...decodeKeyChange(signed) }
  } catch (error) {
    if (error instanceof KeyChangeError) return error
    throw error
  }
}

function firstNameOf(rows: readonly KeyChangeRow[]): string | undefined {
  const first = rows.map(decoded).find((read) => !(read instanceof KeyChangeError))
  if (first === undefined || first instanceof KeyChangeError) return undefined
  return first.change.kind === 'move' ? first.change.from : first.change.server_id
}

const firstRules = (isThere: boolean): Rules => [
  [isThere, 'key_change_wrong', 'a statement joins the first key to one before it'],
]

const faultOf = (read: KeyChangeError | undefined): string =>
  read === undefined ? 'no statement joins it to the key before it' : `its statement cannot be read: ${read.message}`

async function signatureFault(
  row: KeyChangeRow,
  {
    old,
    key,
    verify,
  }: { readonly old: AttestationKey; readonly key: AttestationKey; readonly verify: HybridVerifiers },
): Promise<string | undefined> {
  try {
    await verifyKeyChange(row, { oldKey: old.publicKey, newKey: key.publicKey, verify })
    return undefined
  } catch (error) {
    if (error instanceof KeyChangeError) return error.message
    throw error
  }
}

function changeRules(
  { change }: SignedChange,
  given: {
    readonly before: Before
    readonly old: AttestationKey
    readonly key: AttestationKey
    readonly fault: string | undefined
    readonly history: KeyHistory
  },
): Rules {
  const { before, old, key, fault, history } = given
  const from = change.kind === 'move' ? change.from : change.server_id
  const at = change.kind === 'move' ? change.moved_at : change.rotated_at
  const { old_key: oldKey, new_key: newKey, last_receipt_seq: seq = 0, last_receipt_hash: hash } = change
  const isOfThem = oldKey === old.keyId && newKey === key.keyId
  const rule = (isBroken: boolean, what: string) => [isBroken, 'key_change_wrong', what] as const
  return [
    rule(!isOfThem, `its statement is about ${oldKey} and ${newKey}`),
    rule(isOfThem && fault !== undefined, `its statement is not signed by both keys: ${fault}`),
    rule(
      parseInstant(at) !== key.activeFrom || key.activeFrom !== old.activeTo,
      `its statement is of ${at}, and the keys did not change then`,
    ),
    rule(from !== before.name, `its statement is of ${from}, the server was ${before.name ?? 'without an id'}`),
    rule(
      change.kind === 'move' && (change.number !== before.moves + 1 || change.prior_move_hash !== before.lastMove),
      'its statement does not continue the move before it',
    ),
    rule(
      seq < before.seq || (seq === before.seq && hash !== before.hash),
      `its statement names receipt ${seq}, the one before it receipt ${before.seq}`,
    ),
    rule(
      seq > 0 && history.hashes.get(seq) !== hash,
      `its statement names a receipt ${seq} that the log does not have`,
    ),
  ]
}

function after(before: Before, { change, hash }: SignedChange): Before {
  const head = { seq: change.last_receipt_seq ?? 0, hash: change.last_receipt_hash }
  if (change.kind === 'rotation') return { ...before, ...head, name: change.server_id }
  return { ...head, name: change.to, moves: change.number, lastMove: hash }
}

const nextOf = (read: SignedChange | KeyChangeError | undefined) =>
  read === undefined || read instanceof KeyChangeError ? undefined : read.change

function eraOf(keyId: KeyId, { name = '', seq, hash }: Before, next: ReturnType<typeof nextOf>): Era {
  return {
    keyId,
    serverId: name,
    after: seq,
    afterHash: hash,
    upTo: next && (next.last_receipt_seq ?? 0),
    upToHash: next?.last_receipt_hash,
  }
}
