import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import { keyId } from '@blindkeep/protocol/keys'
import type { AttestationKey, ReadTx, Store } from '../../ports/store.ts'
import { createFinding, type Finding, findBroken } from './finding.ts'
import { checkKeyChanges, keyHistoryIn } from './keyChanges.ts'
import type { Examination, LogPlace } from './options.ts'
import { FIRST_NUMBER } from './pages.ts'
import { checkReceipt, placeOf } from './receipts.ts'

/** Receipts whose signatures are verified at once. */
const MAX_PAGE = 256

interface LogPorts {
  readonly store: Pick<Store, 'read'>
  readonly verify: HybridVerifiers
}

/** The receipt log from first receipt to head, with its keys, and what is appended meanwhile. */
export async function* examineLog(
  { store, verify }: LogPorts,
  examination: Examination,
): AsyncGenerator<Finding, void, undefined> {
  const { counts, memory, signal } = examination
  let before = memory?.log
  let history = await store.read(keyHistoryIn)
  let { findings: wrong, eras } = await checkKeyChanges(history, verify)
  yield* checkKeys(history.keys)
  yield* wrong
  for (;;) {
    signal.throwIfAborted()
    const { receipts, head, keys } = await store.read((tx) => pageOf(tx, before?.receiptSeq ?? FIRST_NUMBER))
    // Keys that changed meanwhile.
    if (keys.length !== history.keys.length) {
      history = await store.read(keyHistoryIn)
      eras = (await checkKeyChanges(history, verify)).eras
    }
    const facts = { keys, eras }
    const places = receipts.map(placeOf)
    const findings = await Promise.all(
      receipts.map((receipt, index) =>
        checkReceipt(receipt, { before: places[index - 1] ?? before, verify, ...facts }, examination),
      ),
    )
    yield* findings.flat()
    counts.receipts += receipts.length
    before = places.at(-1) ?? before
    if (memory !== undefined) memory.log = before
    if (receipts.length < MAX_PAGE) return yield* checkHead(head, before)
  }
}

async function pageOf(tx: ReadTx, after: number) {
  return {
    receipts: await tx.audit.receipts(after, MAX_PAGE),
    keys: await tx.keys.attestationKeys(),
    head: await tx.receipts.head(),
  }
}

function* checkHead(head: LogPlace | undefined, last: LogPlace | undefined): Generator<Finding> {
  const isSame =
    head?.receiptSeq === last?.receiptSeq &&
    head?.receiptHash === last?.receiptHash &&
    head?.receivedAt === last?.receivedAt
  if (isSame) return
  const text = (place: LogPlace | undefined) => (place ? `${place.receiptSeq}, ${place.receiptHash}` : 'nothing')
  yield createFinding(
    'log_head_wrong',
    { receipt_seq: head?.receiptSeq ?? last?.receiptSeq ?? 0 },
    `the log’s head is ${text(head)}, its last receipt ${text(last)}`,
  )
}

/** Keys are append-only, oldest first; the last one signs (specification, AttestationKeysResponse). */
function* checkKeys(keys: readonly AttestationKey[]): Generator<Finding> {
  for (const [index, key] of keys.entries()) {
    const next = keys[index + 1]
    const ends = key.activeTo ?? Number.POSITIVE_INFINITY
    yield* findBroken({ key_id: key.keyId }, [
      [keyId(key.publicKey) !== key.keyId, 'key_wrong', 'its id does not match its bytes'],
      [ends < key.activeFrom, 'key_wrong', 'it stopped signing before it began'],
      [next !== undefined && next.activeFrom < ends, 'key_wrong', 'the next key began to sign before it stopped'],
      [next === undefined && key.activeTo !== undefined, 'key_wrong', 'it is the last key, and has stopped signing'],
    ])
  }
}
