import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toHex, utf8 } from '@blindkeep/protocol/bytes'
import type { AccountId } from '@blindkeep/protocol/ids'
import { sealSmall } from '../seal/seal.ts'
import {
  type IndexSeal,
  type KnownName,
  keyOfAsset,
  knownNameOf,
  openNames,
  placeOfIndex,
  sealNames,
} from './sealedNames.ts'

const seal: IndexSeal = {
  accountKey: new Uint8Array(32).fill(7),
  accountId: '0b0e6b1c-7c1c-4c55-9d1b-0d9f4a4f0001' as AccountId,
  baseUrl: 'https://one.example',
}
const known = (name: string, more: Partial<KnownName> = {}): KnownName => ({
  ...{ name, sender: undefined, type: undefined, size: 1 },
  ...more,
})

describe('the sealed index of names', () => {
  it('opens again with the same names, and says none of them outside', async () => {
    const names = [
      ['aa', known('Grüße.pdf', { sender: 'Ada', type: 'application/pdf' })],
      ['bb', { ...known(''), name: undefined }],
    ] as const
    const [part, ...more] = await sealNames(names, seal)
    assert.ok(part !== undefined && more.length === 0)
    assert.deepEqual(await openNames(part, seal), names)
    assert.equal(new TextDecoder().decode(part).includes('pdf'), false)
    assert.equal(toHex(placeOfIndex(seal)).length, 32)
  })

  it('is nothing to another account, account key or server, and nothing once a byte has changed', async () => {
    const [part] = await sealNames([['aa', known('a')]], seal)
    assert.ok(part !== undefined)
    const others: readonly Partial<IndexSeal>[] = [
      { accountKey: new Uint8Array(32).fill(8) },
      { accountId: '0b0e6b1c-7c1c-4c55-9d1b-0d9f4a4f0002' as AccountId },
      { baseUrl: 'https://two.example' },
    ]
    for (const other of others) assert.equal(await openNames(part, { ...seal, ...other }), undefined)
    for (const at of [0, 20, part.length - 1]) {
      const damaged: Uint8Array = Uint8Array.from(part)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      assert.equal(await openNames(damaged, seal), undefined)
    }
    assert.equal(await openNames(part.subarray(0, part.length - 20), seal), undefined)
    const form = { key: seal.accountKey, purpose: 'find-index', contextId: placeOfIndex(seal) } as const
    for (const text of ['', '{}', '[1,2]', '["aa",null,null,null,-1]', '["aa"'])
      assert.equal(await openNames(await sealSmall(utf8(text), form), seal), undefined, text)
  })

  it('cuts long names, and divides many into parts', async () => {
    const long = knownNameOf(known('文'.repeat(60_000), { sender: 'x'.repeat(60_000), type: 'y'.repeat(60_000) }))
    assert.deepEqual([long.name?.length, long.sender?.length, long.type?.length], [512, 512, 128])
    const names = Array.from({ length: 1000 }, (_, index) => [`${index}`, long] as const)
    const parts = await sealNames(names, seal)
    assert.ok(parts.length > 1 && parts.every(({ length }) => length < 1.1 * 2 ** 20))
    const opened = (await Promise.all(parts.map((part) => openNames(part, seal)))).flatMap((part) => part ?? [])
    assert.deepEqual(
      opened.map(([key]) => key),
      names.map(([key]) => key),
    )
  })

  it('knows a kept file by what was signed of it, so that another name is read again', () => {
    const blob = (role: 'provenance' | 'metadata', hash: string) => ({ role, hash: hash.repeat(64), size: 1 }) as const
    const facts = (...blobs: readonly ReturnType<typeof blob>[]) =>
      keyOfAsset({ blobs } as unknown as Parameters<typeof keyOfAsset>[0])
    const one = facts(blob('provenance', 'a'), blob('metadata', 'b'))
    assert.notEqual(one, facts(blob('provenance', 'a'), blob('metadata', 'c')))
    assert.notEqual(one, facts(blob('provenance', 'c'), blob('metadata', 'b')))
    assert.equal(facts(blob('provenance', 'a')), undefined)
  })
})
