/**
 * The rows and signatures of small drops, with nothing around them: each row once into the server's own tables, a
 * commit for all that wait, two signatures for each receipt, one receipt after the other, as a chain requires. No rule
 * is checked, nothing is read, no listener is woken.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { parseAccountId, parseDropId, parseSha256Hex, parseUploadId } from '@blindkeep/protocol/ids'
import { openSqliteStore } from '../../packages/server/src/adapters/sql/sqlite/store.ts'
import { locationOf } from '../../packages/server/src/domain/ground/location.ts'
import { newId, parsed } from '../ids.ts'
import { inserting } from '../insertion.ts'

const RECEIPT_BYTES = 3900
const MESSAGE_BYTES = 450

export interface BareLog {
  /** Resolves when the session is committed. */
  create(size: number): Promise<string>
  /** Resolves when the drop and its receipt are committed. */
  land(uploadId: string): Promise<void>
}

/** Creates the database at `path`. */
export async function openBareLog(path: string): Promise<BareLog> {
  await (await openSqliteStore({ path })).close()
  const database = new DatabaseSync(path)
  // As the server.
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 4000; pragma cache_size = -16384',
  )
  const place = insertPlace(database)
  const insertSession = sessionInsertion(database, place)
  const insertLanding = landingInsertion(database, place)
  const ed25519 = generateKeyPairSync('ed25519').privateKey
  const mlDsa65 = generateKeyPairSync('ml-dsa-65').privateKey
  const sessions = new Map<string, Session>()

  const commit = inBatches<() => void>(async (works) => {
    database.exec('begin immediate')
    for (const work of works) work()
    database.exec('commit')
  })
  const land = inBatches<Session>(async (landed) => {
    for (const _receipt of landed) {
      const message = randomBytes(MESSAGE_BYTES)
      await Promise.all([signed(ed25519, message), signed(mlDsa65, message)])
    }
    await commit(() => landed.forEach(insertLanding))
  })

  return {
    async create(size) {
      const uploadId = newId(parseUploadId)
      const ciphertextHash = parsed(parseSha256Hex, randomBytes(32).toString('hex'))
      const session = { uploadId, ciphertextHash, size, location: locationOf(ciphertextHash, uploadId) }
      sessions.set(uploadId, session)
      await commit(() => insertSession(session))
      return uploadId
    },
    async land(uploadId) {
      const session = sessions.get(uploadId)
      if (session === undefined) throw new RangeError('an unknown session')
      sessions.delete(uploadId)
      await land(session)
    },
  }
}

/** Gives `work` all that wait, again and again, one batch after the other. */
function inBatches<Item>(work: (items: readonly Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let waiting: { readonly item: Item; readonly done: PromiseWithResolvers<void> }[] = []
  let isWorking = false

  async function workAll(): Promise<void> {
    isWorking = true
    while (waiting.length > 0) {
      await turn()
      const batch = waiting
      waiting = []
      await work(batch.map(({ item }) => item))
      for (const { done } of batch) done.resolve()
    }
    isWorking = false
  }

  return (item) => {
    const done = Promise.withResolvers<void>()
    waiting.push({ item, done })
    if (!isWorking) void workAll()
    return done.promise
  }
}

function signed(key: KeyObject, message: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    sign(null, message, key, (error, signature) => (error === null ? resolve(signature) : reject(error)))
  })
}

interface Session {
  readonly uploadId: string
  readonly ciphertextHash: string
  readonly size: number
  readonly location: string
}

interface Place {
  readonly accountId: string
  readonly opaqueId: string
}

const CONTENT = { content_type: 'application/octet-stream', kem_ct: randomBytes(1120) }

/** One account with one link. */
function insertPlace(database: DatabaseSync): Place {
  const accountId = newId(parseAccountId)
  const opaqueId = randomBytes(16).toString('hex')
  const at = Date.now()
  const account = {
    account_id: accountId,
    email: 'bare@example.org',
    sign_in_key_hash: randomBytes(32),
    kdf_version: 1,
    created_at: at,
  }
  inserting(database, 'accounts')(account)
  const link = { suite_id: 1, protocol_version: '2026-11-01', drop_public_key: randomBytes(1216), single_use: 0 }
  inserting(database, 'links')({ ...link, opaque_id: opaqueId, account_id: accountId, created_at: at })
  return { accountId, opaqueId }
}

function sessionInsertion(database: DatabaseSync, { accountId, opaqueId }: Place): (session: Session) => void {
  const insertUpload = inserting(database, 'uploads')
  const insertObject = inserting(database, 'objects')
  const reserve = database.prepare('update links set open_sessions = open_sessions + 1, open_bytes = open_bytes + ?')
  const charge = database.prepare('update accounts set used_bytes = used_bytes + ?')
  return ({ uploadId, ciphertextHash, size, location }) => {
    const at = Date.now()
    charge.run(size)
    reserve.run(size)
    insertUpload({
      ...CONTENT,
      upload_id: uploadId,
      account_id: accountId,
      opaque_id: opaqueId,
      size,
      ciphertext_hash: ciphertextHash,
      declaration_hash: ciphertextHash,
      location,
      created_at: at,
      state: 'open',
    })
    insertObject({ location, size, state: 'staged', since: at, checked_at: at })
  }
}

function landingInsertion(database: DatabaseSync, { accountId, opaqueId }: Place): (session: Session) => void {
  const [insertDrop, insertReceipt, insertEvent] = [
    inserting(database, 'drops'),
    inserting(database, 'receipts'),
    inserting(database, 'events'),
  ]
  const close = database.prepare(
    `update uploads set state = 'landed', received_bytes = size, chunk_count = 1, closed_at = ?, last_chunk_at = ?
     where upload_id = ?`,
  )
  const free = database.prepare(
    `update links set open_sessions = open_sessions - 1, open_bytes = open_bytes - ?, landed_files = landed_files + 1,
       landed_bytes = landed_bytes + ?`,
  )
  const count = database.prepare('update accounts set pending_drops = pending_drops + 1, change_seq = change_seq + 2')
  const keep = database.prepare(`update objects set state = 'kept' where location = ?`)
  const setHead = database.prepare(
    `insert into log_head values (1, ?, ?, ?) on conflict do update set receipt_seq = excluded.receipt_seq,
       receipt_hash = excluded.receipt_hash, received_at = excluded.received_at`,
  )
  const cbor = randomBytes(RECEIPT_BYTES)
  let receipts = 0
  return ({ uploadId, ciphertextHash, size, location }) => {
    const at = Date.now()
    const dropId = newId(parseDropId)
    const ids = { upload_id: uploadId, drop_id: dropId, received_at: at }
    const of = { account_id: accountId, opaque_id: opaqueId, ciphertext_hash: ciphertextHash, size, location }
    receipts += 1
    close.run(at, at, uploadId)
    free.run(size, size)
    count.run()
    keep.run(location)
    insertDrop({ ...CONTENT, ...ids, ...of })
    const receipt = { receipt_seq: receipts, receipt_hash: ciphertextHash, receipt_cbor: cbor, key_id: ciphertextHash }
    insertReceipt({ ...receipt, ...ids })
    setHead.run(receipts, ciphertextHash, at)
    for (const [number, name] of ['drop.landed', 'link.changed'].entries())
      insertEvent({
        account_id: accountId,
        change_seq: 2 * receipts + number,
        at,
        name,
        data: JSON.stringify({ dropId, opaqueId }),
      })
  }
}
