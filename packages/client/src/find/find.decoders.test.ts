/** Readers of what a device keeps to find files: its disk, or another release, may give anything back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { utf8 } from '@blindkeep/protocol/bytes'
import { type AccountId, parseDropId, parseInstant } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { anyBytes, anyText, changedBytes, changedJson, declared, runs } from '../../../../testing/decoding.ts'
import { sealSmall } from '../seal/seal.ts'
import { openVisits, sealVisits, visitsContext } from './inboxVisits.ts'
import { openNames, placeOfIndex, sealNames } from './sealedNames.ts'

const seal = {
  accountKey: new Uint8Array(32).fill(7),
  accountId: '0b0e6b1c-7c1c-4c55-9d1b-0d9f4a4f0001' as AccountId,
  baseUrl: 'https://one.example',
}
const nothing = () => false
const sealed = (text: string, contextId: Uint8Array) =>
  sealSmall(utf8(text), { key: seal.accountKey, purpose: 'find-index', contextId })

describe('the index of names', () => {
  const entry = ['ab'.repeat(32), 'a.pdf', 'Ada', null, 7]

  it('is nothing for any other bytes, and throws nothing', async () => {
    const [part] = await sealNames([['aa', { name: 'a', sender: undefined, type: undefined, size: 1 }]], seal)
    assert.ok(part !== undefined)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(part)), async (bytes) => {
        assert.equal(await declared(() => openNames(Uint8Array.from(bytes), seal), nothing), undefined)
      }),
      runs(100),
    )
  })

  it('has bounded texts and whole sizes for any content, and throws nothing', async () => {
    const lines = fc.array(changedJson(entry), { maxLength: 3 }).map((each) => each.map((one) => JSON.stringify(one)))
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          lines.map((each) => each.join('\n')),
          anyText,
        ),
        async (text) => {
          const part = await sealed(text, placeOfIndex(seal))
          const names = await declared(() => openNames(part, seal), nothing)
          for (const [key, { name = '', size }] of names ?? [])
            assert.ok(typeof key === 'string' && name.length <= 512 && Number.isSafeInteger(size) && size >= 0)
        },
      ),
      runs(200),
    )
  })
})

describe('the visits of the inbox', () => {
  const visits = { lookedUntil: '2026-05-02T00:00:00Z', readUntil: '2026-05-01T00:00:00Z', read: [] as string[] }

  it('are none for any other bytes, and throw nothing', async () => {
    const valid = await sealVisits({ ...visits, read: new Set() }, seal)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(valid)), async (bytes) => {
        const read = await declared(() => openVisits(Uint8Array.from(bytes), seal), nothing)
        assert.deepEqual(read, { read: new Set() })
      }),
      runs(100),
    )
  })

  it('have only ids and times for any content, and throw nothing', async () => {
    const contents = changedJson({ ...visits, read: ['0b0e6b1c-7c1c-4c55-9d1b-000000000001'] })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          contents.map((each) => JSON.stringify(each)),
          anyText,
        ),
        async (text) => {
          const read = await declared(async () => openVisits(await sealed(text, visitsContext(seal)), seal), nothing)
          for (const at of [read?.lookedUntil, read?.readUntil]) assert.ok(at === undefined || parseInstant(at))
          for (const id of read?.read ?? []) assert.equal(parseDropId(id), id)
        },
      ),
      runs(200),
    )
  })
})
