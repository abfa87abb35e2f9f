import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangePage } from '@blindkeep/client/owner'
import { parseAssetId } from '@blindkeep/protocol/ids'
import { createCatalog } from './catalog.ts'

const [a, b, c] = ['a', 'b', 'c'].map((letter) => {
  const assetId = parseAssetId(`00000000-0000-4000-8000-00000000000${letter}`)
  return assetId ?? assert.fail()
})

function change(assetId: unknown, createdAt: string | undefined) {
  const blobs = ['original', 'metadata', 'provenance', 'derivative'].map((role, index) => ({ role, size: 10 ** index }))
  return { assetId, asset: createdAt === undefined ? undefined : { assetId, createdAt, blobs } }
}

function page(cursor: string, changes: readonly unknown[], hasStartedOver = false): ChangePage {
  return { cursor, changes, hasStartedOver } as unknown as ChangePage
}

/** A feed whose reads give these pages one after the other, and the cursors that it was asked with. */
function feed(...reads: readonly (readonly (ChangePage | Error)[])[]) {
  const cursors: (string | undefined)[] = []
  return {
    cursors,
    async *changes({ cursor }: { readonly cursor?: string | undefined } = {}) {
      const pages = reads[cursors.push(cursor) - 1] ?? []
      for (const one of pages) {
        if (one instanceof Error) throw one
        yield one
      }
    },
  }
}

describe('the catalog', () => {
  it('has what is there, newest first, and then only asks for what has changed', async () => {
    const source = feed(
      [page('1', [change(a, '2026-01-01'), change(b, '2026-01-02')])],
      [page('2', [change(a, undefined), change(c, '2026-01-03')])],
    )
    const catalog = createCatalog(source)
    const first = await catalog.read()
    assert.deepEqual(
      first.map(({ assetId }) => assetId),
      [b, a],
    )
    assert.equal(first[0]?.sealedBytes, 111, 'a preview is not read')
    assert.deepEqual(
      (await catalog.read()).map(({ assetId }) => assetId),
      [c, b],
    )
    assert.deepEqual(source.cursors, [undefined, '1'])
  })

  it('forgets all when the server has started over', async () => {
    const catalog = createCatalog(
      feed([page('1', [change(a, '2026-01-01')])], [page('9', [change(b, '2026-01-02')], true)]),
    )
    await catalog.read()
    assert.deepEqual(
      (await catalog.read()).map(({ assetId }) => assetId),
      [b],
    )
  })

  it('works in nothing of a read that fails half-way', async () => {
    const source = feed(
      [page('1', [change(a, '2026-01-01')]), new Error('cut')],
      [page('1', [change(a, '2026-01-01')]), page('2', [change(b, '2026-01-02')])],
    )
    const catalog = createCatalog(source)
    await assert.rejects(catalog.read(), /cut/)
    assert.equal((await catalog.read()).length, 2)
    assert.deepEqual(source.cursors, [undefined, undefined])
  })
})
