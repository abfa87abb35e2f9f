/** P3: the receipt log over the real database, beside the two bare signatures, in turn as a chain requires. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { join } from 'node:path'
import { formatInstant, parseAccountId, parseDropId, parseKeyId, parseUploadId } from '@blindkeep/protocol/ids'
import { receiptToBeSigned } from '@blindkeep/protocol/receipt'
import { openKeyring } from '../../packages/server/src/adapters/keyring/keyring.ts'
import { openSqliteStore } from '../../packages/server/src/adapters/sql/sqlite/store.ts'
import { systemClock } from '../../packages/server/src/adapters/system/clock.ts'
import { systemRandom } from '../../packages/server/src/adapters/system/random.ts'
import { openServerKeys } from '../../packages/server/src/domain/custody/keys.ts'
import { createReceiptLog, type ReceiptLog } from '../../packages/server/src/domain/custody/receipts.ts'
import type { Store } from '../../packages/server/src/ports/store.ts'
import { newId, parsed, sha256 } from '../ids.ts'
import { share } from '../load.ts'
import type { Lane, Row, RowOptions } from '../row.ts'

const SERVER_ID = 'http://127.0.0.1:8080'
/** Enough waiting receipts that every batch is full. */
export const WAITING = 128

export const receipts: Row = {
  name: 'receipts',
  ids: ['P3'],
  what: 'receipts, chained, signed twice and durable, in one process',
  async open(options) {
    const count = options.isQuick ? WAITING : 2000
    const store = await openSqliteStore({ path: join(options.directory, 'receipts.sqlite') })
    options.atEnd(store.close)
    const log = await receiptsLane(options, store, count)
    const signing = bareSigningLane(count)
    return { unit: '/s', lanes: [log, signing], comparisons: [{ id: 'P3', lane: log, beside: signing, reach: 0.8 }] }
  },
}

/** The receipt log over `store`. */
export async function receiptsLane({ directory }: RowOptions, store: Store, count: number): Promise<Lane> {
  const keyring = await openKeyring({ masterSecretFile: join(directory, 'master.secret'), createIfMissing: true })
  await openServerKeys({ store, keyring, clock: systemClock, random: systemRandom })
  const signerOf = keyring.openAttestationKey
  const log = createReceiptLog({ store, clock: systemClock, serverId: SERVER_ID, signerOf })
  return {
    name: 'receipt log',
    async measure() {
      const startedAt = performance.now()
      await share(Array.from({ length: WAITING }), count, () => appendOne(log))
      return { value: (count * 1000) / (performance.now() - startedAt) }
    },
  }
}

async function appendOne(log: ReceiptLog): Promise<void> {
  await log.append({
    accountId: newId(parseAccountId),
    subject: newSubject(),
    commit: async () => undefined,
  })
}

function newSubject() {
  return {
    uploadId: newId(parseUploadId),
    dropId: newId(parseDropId),
    blobRole: 'original' as const,
    ciphertextHash: sha256(randomBytes(32)),
    size: 4096,
  }
}

/** The two signatures of a receipt, made at the same time in Node's thread pool. */
export function bareSigningLane(count: number): Lane {
  const ed25519 = generateKeyPairSync('ed25519').privateKey
  const mlDsa65 = generateKeyPairSync('ml-dsa-65').privateKey
  const messages = receiptMessages()
  return {
    name: 'Ed25519 + ML-DSA-65, bare',
    async measure() {
      const startedAt = performance.now()
      for (let signed = 0; signed < count; signed++)
        await Promise.all([signBare(ed25519, messages.ed25519), signBare(mlDsa65, messages.mlDsa65)])
      return { value: (count * 1000) / (performance.now() - startedAt) }
    },
  }
}

function signBare(key: KeyObject, message: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    sign(null, message, key, (error, signature) => (error === null ? resolve(signature) : reject(error)))
  })
}

/** As long as the messages of a real receipt. */
function receiptMessages() {
  const subject = newSubject()
  const payload = {
    server_id: SERVER_ID,
    receipt_seq: 1_000_000,
    prior_receipt_hash: sha256(randomBytes(32)),
    upload_id: subject.uploadId,
    drop_id: subject.dropId,
    blob_role: subject.blobRole,
    ciphertext_hash: subject.ciphertextHash,
    size: subject.size,
    received_at: formatInstant(systemClock.now()),
  }
  return receiptToBeSigned(payload, parsed(parseKeyId, sha256(randomBytes(32))))
}
