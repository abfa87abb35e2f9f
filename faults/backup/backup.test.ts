import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { checkChain } from '@blindkeep/protocol/chain'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import { CLI, type CommandOutcome, runCommand } from '../../testing/command.ts'
import { provedBody } from '../../testing/proving.ts'
import { jsonOf, pause } from '../harness/api.ts'
import { fetchReceipt } from '../harness/guest.ts'
import type { Attempt } from '../harness/ledger.ts'
import { attestationKeys, createWorld, type World } from '../harness/load.ts'
import { compareContent, readInbox } from '../harness/owner.ts'
import { appendUpTo, fileOf, flipBit, landed, newLink, openSession } from '../harness/session.ts'

const receiptOf = ({ receiptCbor = '' }: Attempt) => decodeReceipt(fromBase64(receiptCbor))
const CHUNK_BYTES = 500_009
/** It takes long enough to write that a kill meets it. */
const LARGE_BYTES = 48_000_000

/** kill -9 as soon as there is a file or directory at `path`. */
async function killAt({ server }: World, path: string, ...args: readonly string[]): Promise<void> {
  const { PATH = '' } = process.env
  const env = { PATH, DATA_DIR: server.dataDir }
  const command = ['--disable-warning=ExperimentalWarning', CLI, ...args]
  const child = spawn(process.execPath, command, { env, stdio: 'ignore' })
  const closed = once(child, 'close')
  while (!existsSync(path) && child.exitCode === null) await pause(1)
  child.kill('SIGKILL')
  await closed
}

interface Loss {
  readonly backup: string
  readonly flipped: Attempt
  readonly lost: Attempt
}

/** Beside the running server, with a kill in the middle. */
async function loseAndBringBack(world: World, { backup, flipped, lost }: Loss): Promise<void> {
  const { server } = world
  const path = fileOf(server.dataDir, lost)
  const repair = ['fsck', '--deep', '--repair-from', backup]
  await flipBit(fileOf(server.dataDir, flipped), 1000)
  await rm(path)
  await killAt(world, `${path}.new`, ...repair)
  assert.deepEqual([existsSync(path), existsSync(`${path}.new`)], [false, true])
  const found = JSON.parse((await server.command(['fsck', '--json'])).stdout)
  assert.ok(found.findings.some(({ kind }: { readonly kind: string }) => kind === 'file_missing'))
  const repaired = JSON.parse(succeeded(await server.command([...repair, '--json'])))
  assert.ok(repaired.brought_back.bytes >= LARGE_BYTES)
  assert.ok(!existsSync(`${path}.new`))
  succeeded(await server.command(['fsck', '--deep']))
}

/** Returns its output. */
function succeeded({ status, stdout, stderr }: CommandOutcome): string {
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

describe('a server with a backup', () => {
  it('gets single objects back from it; and restored from it has its data, invalidates later tokens and cursors, and resumes sessions', async () => {
    const world = await createWorld('backup')
    const { server, ledger, api } = world
    const [owner] = world.owners
    assert.ok(owner)
    const root = await mkdtemp(join(tmpdir(), 'blindkeep-backup-'))
    const [backup, restored] = [join(root, 'backup'), join(root, 'restored')]
    const ask = (path: string, token?: string) =>
      api.askUntilAnswered({ method: 'GET', path, ...(token !== undefined && { token }) })
    try {
      const link = await newLink(world, 'link')
      const kept = await landed(world, link, { name: 'kept', size: 3 * CHUNK_BYTES })
      const large = await openSession(world, link, { name: 'large', size: LARGE_BYTES })
      await appendUpTo(large, LARGE_BYTES, LARGE_BYTES / 4)
      await fetchReceipt(world, large.attempt)
      const { upload, attempt } = await openSession(world, link, { name: 'under-way', size: 2 * CHUNK_BYTES })
      await upload.append({ offset: 0, length: CHUNK_BYTES })
      const { next_cursor: cursor } = jsonOf<{ next_cursor: string }>(await ask('/v1/sync', owner.token))
      await killAt(world, backup, 'backup', backup)
      succeeded(await server.command(['backup', backup]))
      const again = JSON.parse(succeeded(await server.command(['backup', backup, '--json'])))
      assert.deepEqual([again.copied.files, again.present.files], [0, 3])
      await loseAndBringBack(world, { backup, flipped: kept, lost: large.attempt })
      for (const entry of await readInbox(world, owner)) await compareContent(world, owner, entry)
      const lost = await landed(world, link, { name: 'lost', size: 7 })

      assert.equal(await server.terminate(), 0)
      const env = { MASTER_SECRET_FILE: join(dirname(server.dataDir), 'master.secret'), DATA_DIR: restored }
      for (const args of [
        ['restore', backup],
        ['fsck', '--deep'],
      ])
        succeeded(await runCommand(args, { cwd: root, env }))
      await server.restart(env)

      assert.equal((await ask('/v1/drops', owner.token)).status, 401)
      const { email, key } = owner
      const login = await provedBody(server.url, '/v1/auth/login', { members: { email }, key })
      const answer = await api.askUntilAnswered({ method: 'POST', path: '/v1/auth/login', json: login })
      const { access_token: token } = jsonOf<{ access_token: string }>(answer)
      assert.equal((await ask(`/v1/sync?cursor=${cursor}`, token)).code, 'error.sync.cursor_invalid')

      assert.equal((await ask(`/d/${link.opaqueId}/${lost.uploadId}/receipt`)).status, 404)
      lost.discarded = 'asked'
      // Verified under the key that was published before.
      await fetchReceipt(world, kept)
      await upload.append({ offset: CHUNK_BYTES, length: CHUNK_BYTES })
      const published = await attestationKeys(api)
      assert.deepEqual([[...published.keys()][0], published.size], [[...world.attestationKeys.keys()][0], 2])
      await fetchReceipt({ ...world, attestationKeys: published }, attempt)
      const [before, since] = [receiptOf(large.attempt), receiptOf(attempt)]
      assert.ok(since.payload.receipt_seq > receiptOf(lost).payload.receipt_seq + 1_000_000)
      assert.equal(checkChain([before, since], { whole: true }), undefined)

      const present = { ...owner, token }
      for (const entry of await readInbox(world, present)) await compareContent(world, present, entry)
      assert.deepEqual([ledger.counts.contentsCompared, ledger.faults], [5, []])
    } finally {
      await world.close()
      await rm(root, { recursive: true, force: true })
    }
  })
})
