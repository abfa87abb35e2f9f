/**
 * Moves a stopped server to another database and another store of bytes. The old ones stay as they are. Objects come
 * first: each is read back and compared with what was recorded. Then all rows come in one transaction. So a server that
 * starts at the target has everything, and before that none starts.
 */
import { createHash } from 'node:crypto'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import type { UploadId } from '@blindkeep/protocol/ids'
import type { SnapshotObject } from '../../ports/backup.ts'
import type { Clock } from '../../ports/clock.ts'
import type { MovingDatabase } from '../../ports/move.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Store } from '../../ports/store.ts'
import { type CappedList, type CappedListBuilder, createCappedList } from '../ground/cappedList.ts'
import { partsOf } from '../ground/location.ts'
import type { Quota } from '../quota/quota.ts'
import { digestOf } from './checkedBytes.ts'
import { copyObject, type ObjectSource, type ObjectTarget } from './objectCopies.ts'
import { endBroken } from './restore.ts'

interface MovePorts {
  readonly database: MovingDatabase
  readonly from: Pick<Objects, 'size' | 'read' | 'check'>
  readonly to: Omit<ObjectTarget, 'parts'>
  readonly clock: Clock
  readonly quota: Quota
  readonly onProgress: (progress: MoveProgress) => void
}

export interface MoveProgress {
  readonly step: 'objects' | 'rows'
  readonly count: number
  readonly bytes: number
}

export interface MoveReport {
  readonly objects: { files: number; bytes: number }
  readonly rows: number
  /** Owned objects that were damaged or missing before the move. Storage verification reports them as damaged. */
  readonly damaged: CappedList<string>
}

const COPIES_AT_ONCE = 4

export async function move(ports: MovePorts): Promise<MoveReport> {
  const { database, onProgress } = ports
  await database.begin()
  const report = { objects: { files: 0, bytes: 0 }, rows: 0, damaged: createCappedList<string>() }
  if (!(await database.isFilled())) {
    const store = await database.open()
    try {
      await copyObjects(ports, store, report)
    } finally {
      await store.close()
    }
    await database.fill((rows) => {
      report.rows = rows
      onProgress({ step: 'rows', count: rows, bytes: 0 })
    })
  }
  await database.finish()
  return report
}

async function copyObjects(
  ports: MovePorts,
  store: Store,
  report: { readonly objects: MoveReport['objects']; readonly damaged: CappedListBuilder<string> },
): Promise<void> {
  const { database, clock, onProgress } = ports
  const broken: UploadId[] = []
  const snapshot = database.snapshot()
  try {
    await forEachConcurrently(snapshot.objects(), COPIES_AT_ONCE, async (object) => {
      const isRight = database.isDone(object.location) || (await moveObject(ports, object))
      if (isRight) {
        database.done(object.location)
        report.objects.files += 1
        report.objects.bytes += object.bytes
      } else if (!object.isWhole) broken.push(partsOf(object.location).uploadId)
      else if (await store.write(['removal'], (tx) => tx.objects.markDamaged(object.location, clock.now())))
        report.damaged.add(object.location)
      onProgress({ step: 'objects', count: report.objects.files, bytes: report.objects.bytes })
    })
  } finally {
    snapshot.close()
  }
  await endBroken(ports, store, broken)
}

/** False if the object is damaged or missing at the source. */
async function moveObject({ database, from, to }: MovePorts, object: SnapshotObject): Promise<boolean> {
  const { location, bytes } = object
  const given = createHash('sha256')
  const source: ObjectSource = {
    size: () => from.size(location),
    async *read() {
      for await (const piece of from.read(location, { start: 0, end: bytes })) {
        given.update(piece)
        yield piece
      }
    },
  }
  const outcome = await copyObject({ ...to, parts: database.parts }, source, object)
  if (outcome === 'present') return true
  if (outcome !== 'copied') {
    // Throws when the whole store is away, which is no fault of this object.
    await from.check()
    return false
  }
  const kept = await digestOf(to.objects.read(location, { start: 0, end: bytes }))
  if (kept.size !== bytes || kept.sha256 !== given.digest('hex'))
    throw new Error(`the target gave other bytes back than it was given, for ${location}. Run the command again.`)
  return true
}
