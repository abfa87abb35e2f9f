import { toBase64 } from '@blindkeep/protocol/bytes'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM, keyId } from '@blindkeep/protocol/keys'
import type { AttestationKeysResponse } from '@blindkeep/protocol/schemas/discovery'
import { AuditError, type AuditReason } from '../../packages/client/src/verify/auditError.ts'
import type { PinnedKeys } from '../../packages/client/src/verify/pinnedKeys.ts'
import { pinKeys, requireActiveAt } from '../../packages/client/src/verify/pins.ts'
import { known, OTHER_SERVER_ID, rising, SERVER_ID } from './inputs.ts'

type Key = AttestationKeysResponse['keys'][number]

function keyOf(first: number, active_from: string): Key {
  const bytes = rising(first, 1984)
  const key_id = known(parseSha256Hex(keyId(bytes)))
  return { key_id, public: toBase64(bytes), algorithm: HYBRID_ALGORITHM, active_from }
}

const ENDED = '2026-02-01T00:00:00.000Z'
const FIRST = keyOf(1, '2026-01-01T00:00:00.000Z')
const SECOND = keyOf(2, ENDED)
const RETIRED = { ...FIRST, active_to: ENDED }
const listOf = (...keys: readonly Key[]): AttestationKeysResponse => ({ server_id: SERVER_ID, keys: [...keys] })

interface ListCase {
  readonly name: string
  /** What the client has pinned: the list that it saw before. */
  readonly pinned?: AttestationKeysResponse
  readonly list: AttestationKeysResponse
}

const ACCEPTED: readonly ListCase[] = [
  { name: 'the first list', list: listOf(FIRST) },
  { name: 'two keys, one after the other', list: listOf(RETIRED, SECOND) },
  { name: 'a gap between two keys', list: listOf(RETIRED, { ...SECOND, active_from: '2026-02-02T00:00:00.000Z' }) },
  { name: 'the same list again', pinned: listOf(RETIRED, SECOND), list: listOf(RETIRED, SECOND) },
  { name: 'a key was appended, and the one before has an end', pinned: listOf(FIRST), list: listOf(RETIRED, SECOND) },
]

const REFUSED: readonly (ListCase & { readonly reason: AuditReason })[] = [
  { name: 'of another server', reason: 'wrong_server', list: { ...listOf(FIRST), server_id: OTHER_SERVER_ID } },
  { name: 'a key that is missing', reason: 'key_vanished', pinned: listOf(FIRST), list: listOf(SECOND) },
  { name: 'another order', reason: 'key_changed', pinned: listOf(RETIRED, SECOND), list: listOf(SECOND, RETIRED) },
  {
    name: 'another beginning',
    reason: 'key_changed',
    pinned: listOf(FIRST),
    list: listOf({ ...FIRST, active_from: ENDED }),
  },
  {
    name: 'another end',
    reason: 'key_changed',
    pinned: listOf(RETIRED, SECOND),
    list: listOf({ ...RETIRED, active_to: '2026-01-31T00:00:00.000Z' }, SECOND),
  },
  {
    name: 'an end that was taken back',
    reason: 'key_changed',
    pinned: listOf(RETIRED, SECOND),
    list: listOf(FIRST, SECOND),
  },
  { name: 'a key twice', reason: 'key_malformed', list: listOf(RETIRED, { ...FIRST, active_from: ENDED }) },
  { name: 'a key_id of other bytes', reason: 'key_malformed', list: listOf({ ...FIRST, public: SECOND.public }) },
  { name: 'two active keys', reason: 'key_malformed', list: listOf(FIRST, SECOND) },
  { name: 'no active key', reason: 'key_malformed', list: listOf(RETIRED) },
  {
    name: 'an end before the beginning',
    reason: 'key_malformed',
    list: listOf({ ...RETIRED, active_to: '2025-12-31T23:59:59.999Z' }, SECOND),
  },
  {
    name: 'two keys at the same time',
    reason: 'key_malformed',
    list: listOf(RETIRED, { ...SECOND, active_from: '2026-01-31T23:59:59.999Z' }),
  },
]

/** A receipt's time, and whether the key of the list may have signed it then. */
const TIMES: readonly { readonly key: Key; readonly received_at: string; readonly active: boolean }[] = [
  { key: RETIRED, received_at: '2025-12-31T23:59:59.999Z', active: false },
  { key: RETIRED, received_at: '2026-01-01T00:00:00.000Z', active: true },
  { key: RETIRED, received_at: '2026-02-01T00:00:00.000Z', active: true },
  { key: RETIRED, received_at: '2026-02-01T00:00:00.001Z', active: false },
  { key: SECOND, received_at: '2026-02-01T00:00:00.000Z', active: true },
  { key: SECOND, received_at: '9999-12-31T23:59:59.999Z', active: true },
]

export function keyListVectors() {
  for (const each of ACCEPTED) if (verdictOn(each) !== undefined) throw new Error(`${each.name} is refused`)
  for (const each of REFUSED) if (verdictOn(each) !== each.reason) throw new Error(`${each.name}: ${verdictOn(each)}`)
  for (const each of TIMES)
    if (isActive(each) !== each.active) throw new Error(`${each.received_at} is judged otherwise`)
  const times = TIMES.map(({ key, ...time }) => ({ key_id: key.key_id, ...time }))
  return {
    server_id: SERVER_ID,
    valid: ACCEPTED,
    invalid: REFUSED,
    times: { list: listOf(RETIRED, SECOND), judged: times },
  }
}

function verdictOn({ pinned, list }: ListCase): AuditReason | undefined {
  try {
    const before: PinnedKeys | undefined = pinned && pinKeys(pinned, SERVER_ID)
    pinKeys(list, SERVER_ID, before)
    return undefined
  } catch (error) {
    if (error instanceof AuditError) return error.reason
    throw error
  }
}

function isActive({ key, received_at }: (typeof TIMES)[number]): boolean {
  const pin = pinKeys(listOf(RETIRED, SECOND), SERVER_ID).keys.find(({ keyId }) => keyId === key.key_id)
  try {
    requireActiveAt(known(pin), received_at)
    return true
  } catch (error) {
    if (error instanceof AuditError) return false
    throw error
  }
}
