/** What a person who runs the server learns of a disk without room, on the real process. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { newKey } from '../../conformance/proving.ts'
import { provedBody } from '../../testing/proving.ts'
import { jsonOf } from '../harness/api.ts'
import { createWorld, type World } from '../harness/load.ts'
import { newLink, openSession, plannedSession } from '../harness/session.ts'
import { mountSmallDisk } from '../harness/smallDisk.ts'

const MEBIBYTE = 1024 * 1024
const SIZE = 2 * MEBIBYTE
const ERROR = 50
const WARN = 40

interface Line {
  readonly level: number
  readonly msg: string
  readonly [fact: string]: unknown
}

function linesOf({ server }: World): readonly Line[] {
  return server
    .log()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
}

/** The line may arrive after the answer. */
async function lineOf(world: World, isIt: (line: Line) => boolean): Promise<Line> {
  for (;;) {
    const line = linesOf(world).find(isIt)
    if (line !== undefined) return line
    await wait(5)
  }
}

const readinessOf = async (world: World) => {
  const reply = await world.api.askUntilAnswered({ method: 'GET', path: '/readyz' })
  return { status: reply.status, warnings: jsonOf<{ warnings?: readonly string[] }>(reply).warnings }
}

describe('a disk below its floor', () => {
  it('is said at the start, in the log and by /readyz, which stays 200; uploads have a code of their own', async () => {
    const world = { ...(await createWorld('floor', { env: { LOG_LEVEL: 'info' } })), isDiskTroubled: () => true }
    try {
      const link = await newLink(world, 'floor')
      assert.equal((await readinessOf(world)).warnings, undefined)
      await world.server.restart({ FREE_SPACE_FLOOR_BYTES: '4PB' })
      const { status, warnings } = await readinessOf(world)
      assert.deepEqual([status, warnings], [200, ['disk_below_floor']])
      assert.match(world.server.log(), /^Warning: The disk has .* below FREE_SPACE_FLOOR_BYTES \(4 PB\)/m)
      const said = linesOf(world).find(({ msg }) => msg.startsWith('the disk is below its floor'))
      assert.ok(said?.level === WARN && typeof said.freeBytes === 'number' && said.floorBytes === 4e15)
      const { upload } = plannedSession(world, link, { name: 'refused', size: SIZE })
      assert.equal(await upload.create(), false)
      const refused = await lineOf(world, ({ level }) => level === ERROR)
      assert.deepEqual(
        [refused?.msg, refused?.code, refused?.route],
        ['refused', 'error.storage.full', '/d/{opaque_id}'],
      )
    } finally {
      await world.close()
    }
  })
})

describe('a disk without a byte', () => {
  it('is what every write answers and the log says; the server is not ready until there is room', async (t) => {
    const disk = mountSmallDisk(96 * MEBIBYTE)
    if ('missing' in disk) return t.skip(disk.missing)
    const limits = { maxFileBytes: SIZE, pendingBytesTarget: SIZE, isTroubled: () => true }
    const world = await createWorld('no byte', { disk: { dataDirectory: join(disk.directory, 'data'), ...limits } })
    const failing = async () => {
      const reply = await world.api.askUntilAnswered({ method: 'GET', path: '/readyz' })
      return { status: reply.status, failing: jsonOf<{ failing?: readonly string[] }>(reply).failing }
    }
    const key = newKey()
    const ask = async (what: 'register' | 'login', email: string) => {
      const path = `/v1/auth/${what}`
      const json = await provedBody(world.server.url, path, { members: { email }, key })
      return world.api.askUntilAnswered({ method: 'POST', path, json })
    }
    try {
      assert.equal((await ask('register', 'first@example.org')).status, 201)
      disk.fill()
      // Also without a floor, and before any write has failed.
      while (!(await readinessOf(world)).warnings?.includes('disk_below_floor')) await wait(5)
      // Until SQLite has used the room in the files that it has. Once the disk was measured again, only the sign-in
      // comes as far as the database.
      for (let count = 0; (await failing()).status === 200; count += 1)
        for (const { status, code } of [
          await ask('register', `${count}@example.org`),
          await ask('login', 'first@example.org'),
        ])
          if (status >= 300) assert.deepEqual([status, code], [500, 'error.storage.full'])
      assert.deepEqual(await failing(), { status: 503, failing: ['disk_full'] })
      const said = await lineOf(world, ({ msg }) => msg === 'the disk of the database is full: nothing can be written')
      assert.equal(said.level, ERROR)
      // Beside the server, too.
      const invited = await world.server.command(['account', 'invite'])
      assert.equal(invited.status, 1)
      assert.match(invited.stderr, /disk of the database .*\.(sqlite|lock) is full/)
      disk.free()
      while ((await failing()).status !== 200) await wait(5)
      assert.equal((await ask('register', 'again@example.org')).status, 201)
    } finally {
      await world.close()
      disk.unmount()
    }
  })
})

describe('a disk that is full', () => {
  it('refuses a chunk with a code of its own, and the log has the cause', async (t) => {
    const disk = mountSmallDisk(96 * MEBIBYTE)
    if ('missing' in disk) return t.skip(disk.missing)
    const limits = { maxFileBytes: SIZE, pendingBytesTarget: SIZE, isTroubled: () => true }
    const world = await createWorld('full', { disk: { dataDirectory: join(disk.directory, 'data'), ...limits } })
    try {
      const { upload } = await openSession(world, await newLink(world, 'full'), { name: 'full', size: SIZE })
      disk.fill(MEBIBYTE / 2)
      const reply = await upload.append({ offset: 0, length: SIZE })
      assert.deepEqual([reply?.status, reply?.code], [500, 'error.storage.full'])
      const refused = await lineOf(world, ({ level, msg }) => level === ERROR && msg === 'refused')
      assert.match(JSON.stringify(refused), /"code":"error\.storage\.full".*ENOSPC/)
      disk.free()
      assert.equal((await upload.append({ offset: 0, length: SIZE }))?.status, 204)
    } finally {
      await world.close()
      disk.unmount()
    }
  })
})
