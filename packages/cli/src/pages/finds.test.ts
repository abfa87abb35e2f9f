import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFinds } from './finds.ts'

const ANSWER = { status: 200, body: Buffer.alloc(3), isCut: false, hasHints: false, hasTrailers: false }

describe('what a check has found', () => {
  it('is each difference once, and stays short whatever a server answers', () => {
    const finds = createFinds()
    for (let index = 0; index < 1000; index++) {
      const headers = new Map([['alt-svc', [`h3=":${index}"${'x'.repeat(1000)}`]]])
      const header = { about: 'headers', what: `has a header ${index}` } as const
      finds.note('/', { ...ANSWER, headers, isAmbiguous: false }, [header], [`x-${index}`])
    }
    finds.find('/', { about: 'page', what: 'has other bytes' })
    finds.find('/a', { about: 'page', what: 'has other bytes' })
    const { found, elsewhere, others, bytes, answers } = finds.all()
    assert.deepEqual([answers, bytes, found.length, others.size, elsewhere.size], [1000, 3000, 101, 100, 100])
    assert.ok([...elsewhere].every((text) => text.length < 400))
    assert.deepEqual(found.at(-1), { about: 'page', what: 'has other bytes', at: ['/', '/a'] })
  })
})
