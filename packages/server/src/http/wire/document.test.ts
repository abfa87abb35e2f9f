import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { operations } from '@blindkeep/protocol/operations'
import { overHttp, said } from '../../testing/http.ts'
import { inWorld } from '../../testing/world.ts'
import { type Budget, createBudget } from '../budget.ts'
import { writtenOut } from '../reply.ts'

describe('a document that any client may read', () => {
  it('has one copy of its bytes for all who read it at the same time', async () => {
    const body = { revoked: Array.from({ length: 10_000 }, (_, jti) => ({ jti })) }
    const answers = [1, 2].map(() => writtenOut(operations.revokedJti, { status: 200, body }))
    const [one, other] = (await Promise.all(answers)).map(({ document }) => document?.text)
    assert.ok(Array.isArray(one) && one.length > 0)
    assert.equal(one, other)
  })

  it(
    'takes nothing of the memory for answers, however long it is',
    inWorld(async (world) => {
      const taken: number[] = []
      const real = createBudget()
      const budget: Budget = {
        ...real,
        open() {
          const hold = real.open()
          return {
            ...hold,
            take(kept, holder, bytes) {
              taken.push(bytes)
              return hold.take(kept, holder, bytes)
            },
          }
        },
      }
      const { ask } = overHttp(world, { budget })
      for (const { path } of [operations.openapi, operations.openapi31, operations.revokedJti]) {
        const answer = await ask({ url: path })
        assert.equal(said(answer), '200')
        assert.equal(Number(answer.headers['content-length']), answer.rawPayload.length)
      }
      assert.deepEqual(new Set(taken), new Set([0]))
    }),
  )
})
