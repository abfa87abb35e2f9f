import assert from 'node:assert/strict'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { Drop } from '../ports/store.ts'
import { append, bytes, newLink, openDrop, ownerOf, readObject } from './guest.ts'
import { defined, type World } from './world.ts'

/** A guest's file of a hundred bytes, sent chunk by chunk. */
export const content = bytes(100)

export const part = (from: number, to: number) => ({ offset: from, bytes: content.subarray(from, to) })

interface StartedDrop {
  readonly opaqueId: OpaqueId
  readonly uploadId: UploadId
}

/** A session of `content` whose first thirty bytes are acknowledged. */
export async function startDrop(world: World): Promise<StartedDrop> {
  const opaqueId = await newLink(world)
  const uploadId = await openDrop(world, opaqueId, content)
  assert.deepEqual(await append(world, uploadId, part(0, 30)), { offset: 30 })
  return { opaqueId, uploadId }
}

export async function inboxOf(world: World, opaqueId: OpaqueId): Promise<readonly Drop[]> {
  return world.rules.inbox.list(await ownerOf(world, opaqueId))
}

/** The bytes of the only drop in the inbox of the link's owner. */
export async function landedBytes(world: World, opaqueId: OpaqueId): Promise<Uint8Array> {
  const drops = await inboxOf(world, opaqueId)
  assert.equal(drops.length, 1)
  return readObject(world, defined(drops[0]))
}
