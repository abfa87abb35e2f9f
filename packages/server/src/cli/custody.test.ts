import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { addSeconds, parseUploadId } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { openServerData, type ServerData } from '../assembly/data.ts'
import { readConfig } from '../config/config.ts'
import { pauseCollector } from '../domain/custody/collect.ts'
import { locationOf } from '../domain/ground/location.ts'
import type { ObjectState } from '../ports/store.ts'
import { runInProcess } from '../testing/inProcess.ts'
import { USE } from '../testing/serverUse.ts'
import { defined, sha256 } from '../testing/world.ts'
import { type Outcome, UsageError } from './command.ts'

interface Beside {
  readonly data: ServerData
  /** Runs a command as typed: `['hold', 'list']`. */
  run(name: string, ...argv: readonly string[]): Promise<Outcome>
  /** An object in this state since yesterday and a minute, with its bytes. */
  object(state: ObjectState, content: Uint8Array): Promise<string>
  files(): Promise<readonly string[]>
}

/** Commands on a data directory that a server has open. */
function besideServer(work: (beside: Beside) => Promise<void>) {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-custody-'))
    const config = readConfig({ DATA_DIR: directory })
    assert.ok(!('faults' in config) && config.blobs.kind === 'files')
    const blobsDirectory = config.blobs.directory
    const data = await openServerData(config, USE)
    try {
      await work({
        data,
        run: (...argv) => runInProcess(argv, { DATA_DIR: directory }),
        async object(state, content) {
          const location = locationOf(sha256(content), defined(parseUploadId(randomUUID())))
          await writeFile(join(blobsDirectory, location), content)
          const since = addSeconds(systemClock.now(), -86_460)
          await data.store.write([], (tx) => tx.objects.insert({ location, size: content.length, state, since }))
          return location
        },
        files: async () =>
          (await readdir(blobsDirectory, { recursive: true })).filter((path) => path.includes('/')).sort(),
      })
    } finally {
      await data.close()
      await rm(directory, { recursive: true })
    }
  }
}

const bytesOf = (...bytes: readonly number[]) => new Uint8Array(bytes)

describe('the commands of custody, beside a server', () => {
  it(
    'collect marks orphaned objects, deletes those that have waited, and leaves leftovers of uploads to the server',
    besideServer(async ({ run, object, files, data }) => {
      const [kept, orphaned, staged] = [
        await object('kept', bytesOf(1)),
        await object('orphaned', bytesOf(2, 2)),
        await object('staged', bytesOf(3)),
      ]
      const deleting = await object('deleting', bytesOf(4))
      const marked = await object('marked', bytesOf(5, 5, 5))
      const { json } = await run('collect')
      const none = { objects: 0, bytes: 0 }
      assert.deepEqual(json, { marked: { objects: 1, bytes: 2 }, removed: { objects: 1, bytes: 3 }, spared: none })
      assert.deepEqual(await files(), [kept, orphaned, staged, deleting].sort())
      assert.equal(await data.store.read((tx) => tx.objects.find(marked)), undefined)
      assert.deepEqual((await run('collect')).json, { marked: none, removed: none, spared: none })
    }),
  )

  it(
    'collect deletes nothing while a backup has paused it, and says so',
    besideServer(async ({ run, object, files, data }) => {
      const marked = await object('marked', bytesOf(1))
      await data.store.write([], (tx) =>
        pauseCollector(tx, 'a backup', { at: systemClock.now(), until: addSeconds(systemClock.now(), 60) }),
      )
      assert.match((await run('collect')).lines.join(), /paused the collector until/)
      assert.deepEqual(await files(), [marked])
    }),
  )

  it(
    'hold adds with a reason, lists and removes, and keeps the bytes from the collector',
    besideServer(async ({ run, object, files }) => {
      const [marked, content] = [await object('marked', bytesOf(1)), sha256(bytesOf(1))]
      await assert.rejects(run('hold add', content), UsageError)
      await assert.rejects(run('hold add', 'no hash', '--reason', 'x'), UsageError)
      assert.deepEqual(Object(await run('hold add', content, '--reason', 'asked by a court')).json.added, true)
      assert.deepEqual(Object(await run('hold add', content, '--reason', 'again')).json.added, false)
      assert.match((await run('hold list')).lines.join(), new RegExp(`^${content} .* asked by a court$`))
      assert.match((await run('collect')).lines.join(), /Spared 1 object/)
      assert.deepEqual(await files(), [marked])
      assert.equal((await run('hold remove', content)).isWrong, false)
      assert.equal((await run('hold remove', content)).isWrong, true)
      assert.deepEqual((await run('hold list')).lines, ['There are no holds.'])
    }),
  )

  it(
    'hold takes the address of a link, mended or not, its id, or the id of a drop, in place of a hash',
    besideServer(async ({ run }) => {
      const [id, reason] = ['0f'.repeat(16), ['--reason', 'asked']]
      for (const link of [id, `https://keep.example/u/${id}`, `https://keep.example/below/u/${id}%23AbC#AbC`])
        await assert.rejects(run('hold add', '--link', link, ...reason), /nothing that came from there is known/)
      await assert.rejects(run('hold add', '--drop', randomUUID(), ...reason), /nothing that came from there/)
      assert.equal((await run('hold remove', '--drop', randomUUID())).isWrong, true)
      for (const wrong of [
        [],
        ['--link', id.slice(1)],
        ['--link', `${id}0`],
        ['--drop', id],
        ['--link', id, '--drop', randomUUID()],
      ])
        for (const [command, options] of [
          ['hold add', [...wrong, ...reason]],
          ['hold remove', wrong],
        ] as const)
          await assert.rejects(run(command, ...options), UsageError)
    }),
  )

  it(
    'scrub reads everything, marks damaged objects and exits with 1',
    besideServer(async ({ run, object, data }) => {
      const good = await object('kept', bytesOf(1, 2))
      assert.equal((await run('scrub')).isWrong, false)
      const bad = await object('kept', bytesOf(3, 4))
      await data.objects.remove(bad)
      const { isWrong, lines, json } = await run('scrub')
      assert.equal(isWrong, true)
      assert.match(
        lines.join('\n'),
        /^an object is damaged: hash=[0-9a-f]{64} size=2 found=missing\n\d objects read, \d B; 1 damaged, 0 could/,
      )
      assert.equal(Object(json).damaged, 1)
      const marks = await data.store.read(async (tx) => [await tx.audit.object(good), await tx.audit.object(bad)])
      assert.deepEqual(
        marks.map((row) => row?.damagedAt !== undefined),
        [false, true],
      )
    }),
  )
})
