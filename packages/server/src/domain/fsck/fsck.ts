/**
 * Checks a data directory: rows against rows, rows against files, the receipt log against itself. It may run beside a
 * server: each statement reads one instant, the log is append-only, and a fault of a file counts only when its row is
 * the same afterwards. It writes nothing.
 */
import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import type { Clock } from '../../ports/clock.ts'
import { type AuditedObject, type ReadTx, type Store, StoreDamaged, ValueUnreadable } from '../../ports/store.ts'
import { checkAccount } from './accounts.ts'
import { checkAsset, checkBlob, checkDrop } from './assets.ts'
import { checkEntry } from './bin.ts'
import { examineBytes } from './bytes.ts'
import { checkFacts } from './facts.ts'
import { confirmed, examineStrays, lookAtFile, type ReadableObjects } from './files.ts'
import { createFinding, type Finding } from './finding.ts'
import { checkLink } from './links.ts'
import { examineLog } from './log.ts'
import { checkObject, isOurs } from './objects.ts'
import type { Counts, Examination } from './options.ts'
import { FIRST_NUMBER, pages } from './pages.ts'
import { checkUpload } from './uploads.ts'

interface FsckPorts {
  readonly store: Pick<Store, 'read'>
  readonly objects: ReadableObjects
  readonly clock: Clock
  readonly verify: HybridVerifiers
}

/** Faults that the database reports about itself, and parts of unknown objects. */
const MAX_DAMAGE = 100
/** Files that are examined at the same time. */
const LOOKS_AT_ONCE = 32
/** A large page, as each page of links reads all sessions. */
const LINKS_AT_ONCE = 10_000

/**
 * Throws when the store of rows or the store of bytes does not answer. Ends early when the database reports itself as
 * broken, as its rows cannot be trusted then.
 */
export async function* examine(ports: FsckPorts, examination: Examination): AsyncGenerator<Finding> {
  const { store, clock } = ports
  const { deep, indexes = deep } = examination
  const { broken, dangling } = await store.read((tx) => tx.audit.damage(indexes, 1))
  for (const what of [...broken, ...dangling]) yield createFinding('database_damaged', {}, what)
  if (broken.length > 0) return yield* furtherDamage(ports, indexes)
  yield* await store.read((tx) => checkFacts(tx, clock.now()))
  yield* examineRows(ports, examination)
  yield* unlessUnreadable('receipts', examineLog(ports, examination))
  yield* unlessUnreadable('objects', examineObjects(ports, examination))
  yield* await store.read(looseParts)
  yield* unlessUnreadable('files', examineStrays(ports, examination))
}

async function looseParts(tx: ReadTx): Promise<readonly Finding[]> {
  const keys = await tx.audit.looseParts(MAX_DAMAGE)
  return keys.map((key) => createFinding('parts_wrong', { key }, 'a part is kept, and its object has no row'))
}

/** The first fault is reported already, as a search for more may fail on a broken database. */
async function* furtherDamage({ store }: FsckPorts, indexes: boolean): AsyncGenerator<Finding, void, undefined> {
  const all = await store.read((tx) => tx.audit.damage(indexes, MAX_DAMAGE)).catch(unlessDamaged)
  for (const what of all?.broken.slice(1) ?? []) yield createFinding('database_damaged', {}, what)
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof StoreDamaged)) throw error
}

/** An unreadable row ends the examination of its table, not of the other tables. */
async function* unlessUnreadable(
  table: keyof Counts,
  findings: AsyncIterable<Finding>,
): AsyncGenerator<Finding, void, undefined> {
  try {
    yield* findings
  } catch (error) {
    if (!(error instanceof ValueUnreadable)) throw error
    yield createFinding('database_damaged', { table }, `${error.message}; the rows after it were not examined`)
  }
}

async function* examineRows({ store, clock }: FsckPorts, examination: Examination): AsyncGenerator<Finding> {
  const through = <Row, Key>(count: keyof Counts, table: Table<Row, Key>): AsyncGenerator<Finding> =>
    unlessUnreadable(count, checkTable({ store, count, table, examination }))
  const head = await store.read((tx) => tx.receipts.head())
  yield* through('accounts', {
    first: '',
    read: (tx, after, max) => tx.audit.accounts(after, max),
    keyOf: ({ accountId }) => accountId,
    check: (account) => checkAccount(account, clock.now()),
  })
  yield* through('links', {
    first: FIRST_NUMBER,
    read: (tx, after, max) => tx.audit.links(after, max),
    keyOf: ({ linkSeq }) => linkSeq,
    pageSize: LINKS_AT_ONCE,
    check: (link) => checkLink(link, examination),
  })
  yield* through('sessions', {
    first: '',
    read: (tx, after, max) => tx.audit.uploads(after, max),
    keyOf: ({ uploadId }) => uploadId,
    check: (upload) => checkUpload(upload, head?.receivedAt),
  })
  yield* through('drops', {
    first: FIRST_NUMBER,
    read: (tx, after, max) => tx.audit.drops(after, max),
    keyOf: ({ dropSeq }) => dropSeq,
    check: (drop) => checkDrop(drop, { ...examination, now: clock.now() }),
  })
  yield* through('assets', {
    first: '',
    read: (tx, after, max) => tx.audit.assets(after, max),
    keyOf: ({ assetId }) => assetId,
    check: checkAsset,
  })
  yield* through('blobs', {
    first: FIRST_NUMBER,
    read: (tx, after, max) => tx.audit.blobs(after, max),
    keyOf: ({ blobSeq }) => blobSeq,
    check: (blob) => checkBlob(blob, { ...examination, now: clock.now() }),
  })
  yield* through('deletions', {
    first: FIRST_NUMBER,
    read: (tx, after, max) => tx.audit.bin(after, max),
    keyOf: ({ binSeq }) => binSeq,
    check: checkEntry,
  })
}

type Table<Row, Key> = Parameters<typeof pages<Row, Key>>[1] & {
  readonly check: (row: Row) => readonly Finding[]
}

interface TableCheck<Row, Key> {
  readonly store: Pick<Store, 'read'>
  readonly count: keyof Counts
  readonly table: Table<Row, Key>
  readonly examination: Examination
}

async function* checkTable<Row, Key>(tableCheck: TableCheck<Row, Key>): AsyncGenerator<Finding> {
  const { store, count, table, examination } = tableCheck
  for await (const rows of pages(store, table, examination)) {
    yield* rows.flatMap(table.check)
    examination.counts[count] += rows.length
  }
}

/** Each object’s row, then its file, then its bytes if `deep`. */
async function* examineObjects(ports: FsckPorts, examination: Examination): AsyncGenerator<Finding> {
  const table = {
    first: '',
    read: (tx: Parameters<Parameters<Store['read']>[0]>[0], after: string, max: number) => tx.audit.objects(after, max),
    keyOf: ({ location }: AuditedObject) => location,
  }
  for await (const objects of pages(ports.store, table, examination)) {
    for (let at = 0; at < objects.length; at += LOOKS_AT_ONCE)
      yield* examineSome(ports, objects.slice(at, at + LOOKS_AT_ONCE), examination)
    examination.counts.objects += objects.length
  }
}

/** One finding for each fault: now tells more than an earlier mark. What cannot be looked at is not read. */
async function* examineSome(
  ports: FsckPorts,
  objects: readonly AuditedObject[],
  examination: Examination,
): AsyncGenerator<Finding> {
  const looked = await Promise.all(
    objects.map((object) => (isOurs(object) ? confirmed(ports, object, lookAtFile(ports)) : undefined)),
  )
  for (const [index, object] of objects.entries()) {
    const found = looked[index]
    const inRow = checkObject(object, { ...examination, now: ports.clock.now() })
    yield* inRow.filter(({ kind }) => found === undefined || kind !== 'object_damaged')
    if (found !== undefined) yield found
    // One finding for the file. Of a session's file, the chunks before its end are still of interest.
    const isDone = found !== undefined && (object.state !== 'staged' || found.kind !== 'file_size_wrong')
    // What the server could not read is read again, so that fsck says why, and a repair ends it.
    const isRead = examination.deep || object.suspectedAt !== undefined
    if (isRead && isOurs(object) && !isDone) yield* examineBytes(ports, object, examination)
  }
}
