import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { freshLocation, type InWorld, listAll, readBytes, writeBytes } from './world.ts'

export function describeAway(inWorld: InWorld, { hasKeys }: { readonly hasKeys: boolean }): void {
  it(
    'reports no object as missing while the store is away, creates and removes none, and has all when the store is back',
    inWorld(async ({ blobs, reopen, leave }) => {
      const [kept, deleting, strange] = [freshLocation(), freshLocation(), freshLocation()]
      const bytes = randomBytes(5_000)
      for (const location of [kept, deleting]) {
        await writeBytes(blobs, location, bytes)
        await blobs.settle(location, bytes.length)
      }
      const fresh = await reopen()
      const back = await leave()
      for (const store of [blobs, fresh]) {
        for (const call of [
          () => store.size(kept),
          () => readBytes(store, kept),
          () => store.digest(kept, bytes.length, new AbortController().signal),
          () => store.remove(deleting),
          () => writeBytes(store, kept, bytes, 5_000),
          () => writeBytes(store, strange, bytes),
          () => store.check(),
          () => listAll(store),
          // With keys there is nothing to settle.
          ...(hasKeys ? [] : [() => store.settle(kept, bytes.length)]),
        ]) {
          await assert.rejects(call(), StorageUnavailable)
        }
      }
      await back()
      assert.deepEqual(await listAll(blobs), [kept, deleting].toSorted())
      assert.ok(bytes.equals(await readBytes(blobs, kept)))
      await blobs.remove(deleting)
      assert.equal(await blobs.size(deleting), undefined)
      await writeBytes(blobs, strange, bytes)
      await blobs.settle(strange, bytes.length)
    }),
  )

  it(
    'continues an object after the store was away during its upload, and keeps acknowledged bytes',
    inWorld(async ({ blobs, reopen, leave }) => {
      const location = freshLocation()
      const bytes = randomBytes(3_000)
      const parts = [0, 1_000, 2_000].map((start) => [bytes.subarray(start, start + 1_000), start] as const)
      const acknowledged: boolean[] = []
      let back = async () => {}
      for (const [index, [part, offset]] of parts.entries()) {
        if (index === 1) back = await leave()
        const unlessAway = (error: unknown) => assert.ok(error instanceof StorageUnavailable)
        acknowledged.push((await writeBytes(blobs, location, part, offset).then(() => true, unlessAway)) ?? false)
        if (index === 1) await back()
      }
      const later = await reopen()
      for (const [index, [part, offset]] of parts.entries())
        if (acknowledged[index] === true)
          assert.ok(part.equals(await readBytes(later, location, offset, offset + part.length)))
    }),
  )
}
