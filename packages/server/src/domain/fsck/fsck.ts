import type { HybridVerifiers } from '@blindkeep/protocol/cose'
import type { Clock } from '../../ports/clock.ts'
import { type AuditedObject, type Store, StoreDamaged, ValueUnreadable } from '../../ports/store.ts'
import { judgeAccount } from './accounts.ts'
import { judgeAsset, judgeBlob, judgeDrop } from './assets.ts'
import { examineBytes } from './bytes.ts'
import { judgeFacts } from './facts.ts'
import { confirmed, examineStrays, lookAtFile, type ReadableBlobs } from './files.ts'
import { type Finding, found } from './finding.ts'
import { judgeLink } from './links.ts'
import { examineLog } from './log.ts'
import { isOurs, judgeObject } from './objects.ts'
import type { Counts, Examination } from './options.ts'
import { FIRST_NUMBER, pages } from './pages.ts'
import { judgeUpload } from './sessions.ts'

/**
 * Whether what a data directory holds is whole: rows against rows, rows against files, the receipt log against itself. It may run beside a server:
 * what one statement says is of one instant, the log is append-only, and what a look at a file finds wrong counts only when the row says the same
 * afterwards. It writes nothing.
 */
interface FsckPorts {
  readonly store: Pick<Store, 'read'>
  readonly blobs: ReadableBlobs
  readonly clock: Clock
  readonly verify: HybridVerifiers
}

/** Faults that the database tells of itself. */
const MAX_DAMAGE = 100
/** Files that are looked at at the same time. */
const LOOKS_AT_ONCE = 32
/** Each page of links goes through all sessions. */
const LINKS_AT_ONCE = 10_000

/**
 * Ends with an error when the store of rows or that of bytes does not answer: then nothing more can be said. Ends at once when the database finds itself
 * broken, as nothing that it says is worth anything.
 */
export async function* examine(ports: FsckPorts, examination: Examination): AsyncGenerator<Finding> {
  const { store, clock } = ports
  const { deep, indexes = deep } = examination
  const { broken, dangling } = await store.read((tx) => tx.audit.damage(indexes, 1))
  for (const what of [...broken, ...dangling]) yield found('database_damaged', {}, what)
  if (broken.length > 0) return yield* furtherDamage(ports, indexes)
  yield* await store.read((tx) => judgeFacts(tx, clock.now()))
  yield* examineRows(ports, examination)
  yield* unlessUnreadable('receipts', examineLog(ports, examination))
  yield* unlessUnreadable('objects', examineObjects(ports, examination))
  yield* unlessUnreadable('files', examineStrays(ports, examination))
}

/** The first is told already. Whoever looks on may fall over it, and have said nothing. */
async function* furtherDamage({ store }: FsckPorts, indexes: boolean): AsyncGenerator<Finding, void, undefined> {
  const all = await store.read((tx) => tx.audit.damage(indexes, MAX_DAMAGE)).catch(unlessDamaged)
  for (const what of all?.broken.slice(1) ?? []) yield found('database_damaged', {}, what)
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof StoreDamaged)) throw error
}

/** One row that cannot be read ends the look at its table alone. */
async function* unlessUnreadable(
  table: keyof Counts,
  findings: AsyncIterable<Finding>,
): AsyncGenerator<Finding, void, undefined> {
  try {
    yield* findings
  } catch (error) {
    if (!(error instanceof ValueUnreadable)) throw error
    yield found('database_damaged', { table }, `${error.message}; what comes after it was not looked at`)
  }
}

async function* examineRows({ store, clock }: FsckPorts, examination: Examination): AsyncGenerator<Finding> {
  const through = <Row, Key>(count: keyof Counts, table: Table<Row, Key>): AsyncGenerator<Finding> =>
    unlessUnreadable(count, judged({ store, count, table, examination }))
  const head = await store.read((tx) => tx.receipts.head())
  yield* through('accounts', {
    first: '',
    read: (tx, after, most) => tx.audit.accounts(after, most),
    keyOf: ({ accountId }) => accountId,
    judge: (account) => judgeAccount(account, clock.now()),
  })
  yield* through('links', {
    first: FIRST_NUMBER,
    read: (tx, after, most) => tx.audit.links(after, most),
    keyOf: ({ linkSeq }) => linkSeq,
    most: LINKS_AT_ONCE,
    judge: (link) => judgeLink(link, examination),
  })
  yield* through('sessions', {
    first: '',
    read: (tx, after, most) => tx.audit.uploads(after, most),
    keyOf: ({ uploadId }) => uploadId,
    judge: (upload) => judgeUpload(upload, head?.receivedAt),
  })
  yield* through('drops', {
    first: FIRST_NUMBER,
    read: (tx, after, most) => tx.audit.drops(after, most),
    keyOf: ({ dropSeq }) => dropSeq,
    judge: (drop) => judgeDrop(drop, { ...examination, now: clock.now() }),
  })
  yield* through('assets', {
    first: '',
    read: (tx, after, most) => tx.audit.assets(after, most),
    keyOf: ({ assetId }) => assetId,
    judge: judgeAsset,
  })
  yield* through('blobs', {
    first: FIRST_NUMBER,
    read: (tx, after, most) => tx.audit.blobs(after, most),
    keyOf: ({ blobSeq }) => blobSeq,
    judge: (blob) => judgeBlob(blob, examination),
  })
}

type Table<Row, Key> = Parameters<typeof pages<Row, Key>>[1] & {
  readonly judge: (row: Row) => readonly Finding[]
}

interface Judging<Row, Key> {
  readonly store: Pick<Store, 'read'>
  readonly count: keyof Counts
  readonly table: Table<Row, Key>
  readonly examination: Examination
}

async function* judged<Row, Key>({ store, count, table, examination }: Judging<Row, Key>): AsyncGenerator<Finding> {
  for await (const rows of pages(store, table, examination)) {
    yield* rows.flatMap(table.judge)
    examination.counts[count] += rows.length
  }
}

/** Each object’s row, then its file, then, if asked for, its bytes. */
async function* examineObjects(ports: FsckPorts, examination: Examination): AsyncGenerator<Finding> {
  const table = {
    first: '',
    read: (tx: Parameters<Parameters<Store['read']>[0]>[0], after: string, most: number) =>
      tx.audit.objects(after, most),
    keyOf: ({ location }: AuditedObject) => location,
  }
  for await (const objects of pages(ports.store, table, examination)) {
    yield* objects.flatMap((object) => judgeObject(object, { ...examination, now: ports.clock.now() }))
    const ours = objects.filter(isOurs)
    for (let at = 0; at < ours.length; at += LOOKS_AT_ONCE) yield* lookAtAll(ports, ours.slice(at, at + LOOKS_AT_ONCE))
    if (examination.deep) for (const object of ours) yield* examineBytes(ports, object, examination)
    examination.counts.objects += objects.length
  }
}

async function* lookAtAll(ports: FsckPorts, objects: readonly AuditedObject[]): AsyncGenerator<Finding> {
  const looked = await Promise.all(objects.map((object) => confirmed(ports, object, lookAtFile(ports))))
  yield* looked.filter((finding) => finding !== undefined)
}
