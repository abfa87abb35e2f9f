import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { until } from '../../testing/until.ts'
import { jsonOf } from '../harness/api.ts'
import { planAdoption, sendAdoption } from '../harness/assets/adopt.ts'
import { acknowledgedBlobsOf, newAsset } from '../harness/assets/assetLedger.ts'
import type { Asset, Attempt, Link } from '../harness/ledger.ts'
import { createWorld, judgeAll, type World } from '../harness/load.ts'
import { compareContent, readInbox } from '../harness/owner.ts'
import { appendUpTo, landed, newLink, openSession, type Session } from '../harness/session.ts'

const SIZE = 200_003
const HALF = 100_001
const UNAVAILABLE = [500, 'error.storage.unavailable']

describe('a server whose object disk is not mounted', () => {
  let world: World
  let link: Link
  let drop: Attempt
  let asset: Asset
  let session: Session
  let isAway = false

  before(async () => {
    world = { ...(await createWorld('away')), isDiskTroubled: () => isAway }
    link = await newLink(world, 'away')
    drop = await landed(world, link, { name: 'a-drop', size: SIZE })
    asset = newAsset(link.owner)
    const adopted = await landed(world, link, { name: 'an-asset', size: SIZE })
    assert.equal((await sendAdoption(world, planAdoption(world, adopted, asset)))?.status, 200)
    session = await openSession(world, link, { name: 'half-sent', size: SIZE })
    await appendUpTo(session, HALF, HALF)
  })
  after(() => world?.close())

  /** Unmounts the disk. `below` its mount point: nothing, or directories that a server once made. */
  async function takeAway(below: 'nothing' | 'directories'): Promise<void> {
    const directory = join(world.server.dataDir, 'blobs')
    await rename(directory, `${directory} away`)
    await mkdir(directory)
    for (const name of below === 'nothing' ? [] : await readdir(`${directory} away`))
      if (name.length === 2) await mkdir(join(directory, name))
    isAway = true
  }

  /** Mounts the disk again, after checking that the server wrote nothing below the mount point. */
  async function bringBack(directoriesBelow: number): Promise<void> {
    const directory = join(world.server.dataDir, 'blobs')
    assert.equal((await readdir(directory, { recursive: true })).length, directoriesBelow)
    await rm(directory, { recursive: true })
    await rename(`${directory} away`, directory)
    isAway = false
  }

  async function verify(deep: boolean) {
    const json = {
      assets: [{ asset_id: asset.assetId, blob_hashes: acknowledgedBlobsOf(asset).map(({ hash }) => hash) }],
      deep,
    }
    const reply = await world.api.ask({ method: 'POST', path: '/v1/storage/verify', token: link.owner.token, json })
    assert.ok(reply)
    return reply
  }

  async function contentOf({ dropId }: Attempt) {
    const reply = await world.api.ask({ method: 'GET', path: `/v1/drops/${dropId}/content`, token: link.owner.token })
    assert.ok(reply)
    return reply
  }

  for (const below of ['nothing', 'directories'] as const) {
    it(`does not start, and logs why, with ${below} below the mount point`, async () => {
      assert.equal(await world.server.terminate(), 0)
      await takeAway(below)
      const loggedBefore = world.server.log().length
      await assert.rejects(world.server.restart(), /ended before it answered/)
      assert.equal(await world.server.terminate(), 1)
      const logged = world.server.log().slice(loggedBefore)
      assert.match(logged, /Blindkeep does not start: the blob directory .*blobs does not look like the one/)
      assert.match(logged, /Is the disk mounted\?/)
      await bringBack(below === 'nothing' ? 0 : 256)
      await world.server.restart()
      assert.equal((await contentOf(drop)).status, 200)
    })
  }

  it('answers 500 error.storage.unavailable while the disk is unmounted, and resumes when it is mounted again', async () => {
    const begun = await openSession(world, link, { name: 'begun', size: SIZE })
    const cancelled = await openSession(world, link, { name: 'cancelled', size: SIZE })
    await appendUpTo(cancelled, HALF, HALF)
    await takeAway('directories')
    const codesOf = [
      await contentOf(drop),
      await verify(false),
      await verify(true),
      await session.upload.append({ offset: HALF, length: SIZE - HALF }),
      await begun.upload.append({ offset: 0, length: HALF }),
    ].map((reply) => [reply?.status, reply?.code])
    assert.deepEqual(codesOf, [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE])
    const readiness = async () => {
      const ready = await world.api.askUntilAnswered({ method: 'GET', path: '/readyz' })
      return `${ready.status} ${jsonOf<{ failing?: string[] }>(ready).failing}`
    }
    await until(async () => (await readiness()) === '503 blobs', 'not ready')
    // Its bytes cannot be removed now, and their row must outlive them.
    assert.equal(await cancelled.upload.cancel(), true)
    await until(() => world.server.log().includes('remove deleting bytes'))
    await bringBack(256)

    await appendUpTo(session, SIZE, SIZE)
    await appendUpTo(begun, SIZE, HALF)
    const entries = await readInbox(world, link.owner)
    assert.equal(entries.length, 3)
    for (const entry of entries) await compareContent(world, link.owner, entry)
    const verdicts = jsonOf<{ verdicts: { durable: boolean }[] }>(await verify(true)).verdicts
    assert.deepEqual(
      verdicts.map(({ durable }) => durable),
      [true],
    )
    await judgeAll(world)
    assert.deepEqual(world.ledger.faults, [])
  })
})
