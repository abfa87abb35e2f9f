import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as tasks } from 'node:timers/promises'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import { createThumbnailWork, type ThumbnailProgress } from './thumbnailWork.ts'

const idOf = (index: number): AssetId => {
  const id = parseAssetId(`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`)
  assert.ok(id)
  return id
}
const [a, b, c, d] = [idOf(1), idOf(2), idOf(3), idOf(4)]

/** A work whose files are drawn when the test says so. */
function started() {
  const drawn = new Map<AssetId, { readonly end: (outcome: boolean | Error) => void; readonly signal: AbortSignal }>()
  const work = createThumbnailWork(
    (assetId, signal) =>
      new Promise((resolve, reject) => {
        const end = (outcome: boolean | Error) => (outcome instanceof Error ? reject(outcome) : resolve(outcome))
        drawn.set(assetId, { end, signal })
      }),
  )
  const ends: ThumbnailProgress[] = []
  work.onEnd((progress) => ends.push(progress))
  const end = async (assetId: AssetId, outcome: boolean | Error) => {
    drawn.get(assetId)?.end(outcome)
    await tasks()
  }
  return { work, ends, drawn, end }
}

describe('the work on thumbnails', () => {
  it('draws two files at a time, each once, and says what became of them', async () => {
    const { work, ends, drawn, end } = started()
    work.add([a, b, c])
    work.add([b, c, d])
    assert.deepEqual([...drawn.keys()], [a, b])
    assert.deepEqual(work.progress(), { total: 4, finished: 0, made: 0, none: 0, failed: 0 })
    await end(a, true)
    assert.deepEqual([...drawn.keys()], [a, b, c])
    await end(b, false)
    await end(c, new Error('no connection'))
    assert.deepEqual(work.progress(), { total: 4, finished: 3, made: 1, none: 1, failed: 1 })
    await end(d, true)
    assert.equal(work.progress(), undefined)
    assert.deepEqual(ends, [{ total: 4, finished: 4, made: 2, none: 1, failed: 1 }])
    assert.deepEqual([...work.tried], [a, b, d], 'what failed is offered again')
  })

  it('begins no more after a stop, gives up what is drawn, and can begin again', async () => {
    const { work, ends, drawn, end } = started()
    work.add([a, b, c])
    await end(a, true)
    work.stop()
    assert.equal(work.progress(), undefined)
    assert.ok(drawn.get(b)?.signal.aborted && drawn.get(c)?.signal.aborted)
    assert.deepEqual(
      ends.map(({ made }) => made),
      [1],
    )
    await end(b, true)
    assert.equal(ends.length, 1)
    work.add([b])
    await end(b, true)
    assert.deepEqual(
      ends.map(({ made }) => made),
      [1, 1],
    )
  })
})
