import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCompareCopy } from './compareCopy.ts'
import { createRunState } from './runState.ts'

const unasked = () => assert.fail('nothing that is stored is like a file of which no byte can be read')

describe('a copy that is empty for this browser', () => {
  it('is never confirmed, because its disk may only not state its size', async () => {
    const compareCopy = createCompareCopy({
      owner: { describeAsset: unasked, verifyBeforeDestroying: unasked },
      baseUrl: 'http://127.0.0.1',
      state: createRunState({
        copies: [],
        isRunning: true,
        isCurrent: true,
        progress: { bytes: 0, of: 0 },
        keptNames: new Map(),
        error: undefined,
      }),
    })
    const copy = {
      id: 1,
      file: new File([], 'x'),
      name: 'x',
      kind: 'comparing',
      kept: undefined,
      checkedAt: undefined,
      cause: undefined,
    } as const
    assert.deepEqual(await compareCopy(copy, [], new AbortController().signal), { kind: 'file_empty' })
  })
})
