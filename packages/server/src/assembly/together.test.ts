import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTogether } from './together.ts'

describe('what is opened together', () => {
  const opening = (closed: string[], fault?: Error) =>
    openTogether(async (keep) => {
      for (const name of ['lock', 'database', 'blobs'])
        keep({
          async close() {
            closed.push(name)
            if (name === 'blobs') throw new Error('the disk is away')
          },
        })
      if (fault !== undefined) throw fault
      return {}
    })

  it('is closed whole, the last one first, also when one cannot be closed', async () => {
    const closed: string[] = []
    const { close } = await opening(closed)
    await assert.rejects(close, /the disk is away/)
    assert.deepEqual(closed, ['blobs', 'database', 'lock'])
  })

  it('is closed when the opening fails, which then says why', async () => {
    const closed: string[] = []
    await assert.rejects(opening(closed, new Error('no key')), /no key/)
    assert.deepEqual(closed, ['blobs', 'database', 'lock'])
  })
})
