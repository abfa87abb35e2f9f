import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAssetId } from '@blindkeep/protocol/ids'
import { systemEnvironment } from '../ground/environment.ts'
import { createCalls } from '../http/call.ts'
import { NetworkError } from '../http/errors.ts'
import { newId } from '../seal/newId.ts'
import { verifyStorage } from './verifyStorage.ts'

/** Node’s fetch (undici, `headersTimeout`) waits this long for an answer to begin. */
const NODE_WAITS_MS = 300_000

describe('the question about storage', () => {
  it('times out by its own clock, before any runtime ends it', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const { call } = createCalls({
      baseUrl: 'http://127.0.0.1:1',
      tokens: { access: () => 'token', renew: () => assert.fail('nothing is over') },
      fetch: (_, init) =>
        new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))),
    })
    const assetId = newId(systemEnvironment, parseAssetId)
    const asked = verifyStorage(call, [{ assetId, hashes: [] }], { deep: true })
    let failure: unknown
    const ended = asked.catch((error: unknown) => {
      failure = error
    })
    context.mock.timers.tick(NODE_WAITS_MS - 1)
    await new Promise(setImmediate)
    assert.ok(failure instanceof NetworkError && failure.failure === 'timeout', String(failure))
    await ended
  })
})
