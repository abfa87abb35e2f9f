/** `blindkeep upload` as a process, against a real server behind a proxy that cuts and lies. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { changedVerdict } from '../../../../testing/maliciousAssets.ts'
import { assetIdsOf, newCliKeeper } from '../testing/keeper.ts'
import { factsOf, finished, type Outcome, openWorld, PASSWORD } from '../testing/world.ts'

const CHUNK_BYTES = 256 * 1024

const world = await openWorld({ CHUNK_BYTES_SUGGESTED: String(CHUNK_BYTES) })
const { run, start, folder, facts, root } = world
const { owner, album, as } = await newCliKeeper(world, 'ada')
const upload = (...args: readonly string[]) => ['upload', '--album', 'Scans', ...args, ...as]
const profile = join(root, 'home', 'profiles', 'ada')

/** Offsets of the chunks that were sent since `from`, in order. */
const chunksSince = (from: number) =>
  world.proxy.seen
    .slice(from)
    .filter(({ method, path }) => method === 'PATCH' && path.startsWith('/v1/upload/'))
    .map(({ headers }) => Number(headers['x-service-offset']))

/** A file whose name is no UTF-8. */
const latin = (directory: string) => Buffer.concat([Buffer.from(`${directory}/`), Buffer.from('caf\xe9', 'latin1')])

async function contentOf(assetId: string): Promise<Buffer> {
  return Buffer.from(await new Response((await owner.openAsset(assetId)).content).arrayBuffer())
}

/** As on a disk whose times do not move: the record of an upload says of the file what the disk says now. */
async function asIfUntouched(path: string, assetId: string): Promise<void> {
  const { ctimeMs: changedMs } = await stat(path)
  const uploads = join(profile, 'uploads')
  for (const name of await readdir(uploads)) {
    const kept = JSON.parse(await readFile(join(uploads, name), 'utf8'))
    if (kept.landed?.assetId === assetId)
      await writeFile(join(uploads, name), JSON.stringify({ ...kept, version: { ...kept.version, changedMs } }))
  }
}

/** Waits until so many chunks were sent. Fails if the process ends before. */
async function untilChunks(from: number, count: number, ended: Promise<Outcome>): Promise<void> {
  let early: Outcome | undefined
  ended.then((outcome) => {
    early = outcome
  })
  while (chunksSince(from).length < count) {
    assert.equal(early, undefined)
    await wait(5)
  }
}

describe('blindkeep upload', () => {
  it('takes folders with names in any encoding, names those without a file, saves receipts, and sends nothing twice unless it is asked to', async () => {
    const content = randomBytes(600_000)
    const path = await folder('folder', { 'a.txt': randomBytes(10), 'in/b.bin': content, 'in/empty': new Uint8Array() })
    await symlink(join(path, 'a.txt'), join(path, 'in', 'link'))
    await writeFile(latin(path), 'content')
    await mkdir(join(path, 'nothing', 'deeper'), { recursive: true })
    const first = await run([...upload('folder', '--receipts', 'receipts'), '--json'])
    assert.equal(first.status, 0, first.stderr)
    assert.match(first.stderr, /in\/link is left out/)
    assert.match(first.stderr, /^blindkeep: 1 empty folder is not sent: folder\/nothing\/deeper\.$/m)
    const landed = factsOf(first).filter(({ event }) => event === 'landed')
    const described = await Promise.all(
      landed.map(async ({ asset_id }) => (await owner.describeAsset(await owner.asset(asset_id))).name),
    )
    assert.deepEqual(described.sort(), ['folder/a.txt', 'folder/caf%E9', 'folder/in/b.bin', 'folder/in/empty'])
    const big = landed.find(({ path: sent }) => sent === 'folder/in/b.bin')
    assert.deepEqual(await contentOf(big.asset_id), content)
    const { asset_id, receipts } = JSON.parse(await readFile(join(root, big.receipt_file), 'utf8'))
    assert.equal(asset_id, big.asset_id)
    assert.deepEqual(receipts.map(({ blob_role }: { blob_role: string }) => blob_role).sort(), [
      'metadata',
      'original',
      'provenance',
    ])
    const modes = await Promise.all(
      (await readdir(join(profile, 'uploads'))).map((n) => stat(join(profile, 'uploads', n))),
    )
    assert.ok(modes.length === 4 && modes.every(({ mode }) => (mode & 0o777) === 0o600))

    const again = await facts(upload('folder'))
    assert.deepEqual(again.at(-1), { event: 'done', landed: 0, landed_before: 4, failed: 0 })
    assert.equal((await assetIdsOf(owner)).length, 4)
    await owner.deleteAsset(big.asset_id)
    const deleted = await run(upload('folder/in/b.bin'))
    assert.equal(deleted.status, 0, deleted.stderr)
    assert.match(
      deleted.stdout,
      /^folder\/in\/b\.bin had landed before, and was deleted from the account since\. --again/m,
    )
    assert.equal((await assetIdsOf(owner)).length, 3)
    await writeFile(join(path, 'a.txt'), 'another text')
    assert.equal((await facts(upload('folder'))).at(-1).landed, 1)
    await facts(upload('folder/a.txt', '--again'))
    assert.equal((await assetIdsOf(owner)).length, 5)
  })

  for (const signal of ['SIGKILL', 'SIGINT'] as const)
    it(`goes on by the same line after ${signal}, and sends no acknowledged chunk again`, async () => {
      const content = randomBytes(24 * CHUNK_BYTES)
      await folder(signal, { 'big.bin': content })
      const args = upload(join(signal, 'big.bin'))
      const from = world.proxy.seen.length
      const child = start(args)
      const ended = finished(child)
      await untilChunks(from, 3, ended)
      child.kill(signal)
      const { status, stderr } = await ended
      if (signal === 'SIGINT') assert.deepEqual([status, /same line again/.test(stderr)], [130, true])
      const before = chunksSince(from)
      const [landed] = await facts(args)
      const [later = 0] = chunksSince(from).slice(before.length)
      assert.ok(later >= (before.at(-1) ?? 0), `${later} after ${before.join(' ')}`)
      assert.deepEqual(await contentOf(landed.asset_id), content)
    })

  it('gives a file that has changed an asset of its own, whether or not its time tells', async () => {
    const path = join(await folder('changing', { 'big.bin': randomBytes(24 * CHUNK_BYTES) }), 'big.bin')
    const from = world.proxy.seen.length
    const child = start(upload(path))
    const ended = finished(child)
    await untilChunks(from, 3, ended)
    child.kill('SIGKILL')
    await ended
    const { mtime } = await stat(path)
    const changed = randomBytes(24 * CHUNK_BYTES)
    await writeFile(path, changed)
    await utimes(path, mtime, mtime)
    const [landed] = await facts(upload(path))
    assert.deepEqual(await contentOf(landed.asset_id), changed)
  })
})

describe('a file that has landed, was changed since, and has its size and date', () => {
  it('is compared, and becomes a new one if its content is another one', async () => {
    const path = join(await folder('touched', { 'a.bin': randomBytes(1000) }), 'a.bin')
    const { mtime } = await stat(path)
    const [first] = await facts(upload(path))
    await chmod(path, 0o600)
    assert.deepEqual((await facts(upload(path))).at(-1), { event: 'done', landed: 0, landed_before: 1, failed: 0 })
    const changed = randomBytes(1000)
    await writeFile(path, changed)
    await utimes(path, mtime, mtime)
    const [second] = await facts(upload(path))
    assert.notEqual(second.asset_id, first.asset_id)
    assert.deepEqual(await contentOf(second.asset_id), changed)
    assert.equal((await facts(upload(path))).at(-1).landed_before, 1)
  })

  it('is compared also with what a device has signed that was revoked since', async () => {
    const other = await newCliKeeper(world, 'revoking', { hasPassword: true })
    const path = join(await folder('touched-revoked', { 'a.bin': randomBytes(1000) }), 'a.bin')
    const call = ['upload', path, '--album', 'Scans', ...other.as]
    assert.equal((await run(call)).status, 0)
    const [{ device_id: deviceId }] = await facts(['whoami', ...other.as])
    await other.owner.revokeDevice(deviceId)
    const login = ['login', '--email', 'revoking@example.org', ...other.as]
    await facts(login, { env: { BLINDKEEP_PASSWORD: PASSWORD } })
    await chmod(path, 0o600)
    assert.equal((await facts(call)).at(-1).landed_before, 1)
  })

  it('may be another one where what had landed was deleted from the account', async () => {
    const path = join(await folder('touched-deleted', { 'a.bin': randomBytes(1000) }), 'a.bin')
    const [first] = await facts(upload(path))
    await owner.deleteAsset(first.asset_id)
    await chmod(path, 0o600)
    for (let call = 0; call < 2; call += 1) {
      const { status, stderr } = await run(upload(path))
      assert.equal(status, 1)
      assert.match(stderr, /It landed on .*Its content may be another one.* --again sends it/)
    }
    assert.equal((await facts(upload(path, '--again'))).at(-1).landed, 1)
  })
})

describe('blindkeep upload --then-delete', () => {
  it('asks once, and deletes what the server is proven to hold, not what has changed since', async () => {
    const path = await folder('deleting', { 'a.bin': randomBytes(1000), 'b.bin': randomBytes(1000) })
    const [a, b] = [join(path, 'a.bin'), join(path, 'b.bin')]
    await writeFile(latin(path), 'content')
    const unasked = await run(upload('deleting', '--then-delete'))
    assert.equal(unasked.status, 2)
    assert.match(unasked.stderr, /Delete these 3 files .* Add --yes/)
    assert.ok(existsSync(a) && existsSync(b))

    const [landed] = await facts(upload(b))
    const { mtime } = await stat(b)
    await writeFile(b, randomBytes(1000))
    await utimes(b, mtime, mtime)
    await asIfUntouched(b, landed.asset_id)
    const outcome = await run([...upload('deleting', '--then-delete', '--yes'), '--json'])
    assert.equal(outcome.status, 1, outcome.stderr)
    assert.ok(!existsSync(a) && existsSync(b) && !existsSync(latin(path)))
    assert.match(outcome.stderr, /deleting\/b\.bin: It is kept here\. The local file is not the stored one/)
    const events = factsOf(outcome)
    const kept = events.find(({ event }) => event === 'kept')
    assert.deepEqual([kept.path, kept.reason], ['deleting/b.bin', 'file_differs'])
    assert.deepEqual(events.at(-1), { event: 'deleted_here', deleted: 2, kept: 1 })
    const deleted = events.find(({ deleted: isDeleted }) => isDeleted === true)
    assert.equal(JSON.parse(await readFile(deleted.receipt_file, 'utf8')).receipts.length, 3)
  })

  it('keeps all, and exits with 3, when the server answers about other hashes', async () => {
    const path = await folder('lied', { 'a.bin': randomBytes(1000) })
    world.proxy.tamper(
      changedVerdict(({ blobs }) => {
        for (const blob of blobs) blob.hash = 'ab'.repeat(32)
      }),
    )
    const outcome = await run(upload('lied', '--then-delete', '--yes'))
    world.proxy.tamper()
    assert.equal(outcome.status, 3, outcome.stderr)
    assert.match(outcome.stderr, /It is kept here\. Tampering detected.*another hash/)
    assert.ok(existsSync(join(path, 'a.bin')))
  })

  it('neither sends nor deletes the keys of this machine', async () => {
    const path = await folder('with-home', { 'a.bin': randomBytes(1000) })
    await symlink(path, join(root, 'to-home'))
    await cp(join(root, 'home'), join(path, 'keys'), { recursive: true })
    const before = await readdir(join(path, 'keys', 'profiles'), { recursive: true })
    const call = upload('to-home', '--then-delete', '--yes')
    const outcome = await run(call, { env: { BLINDKEEP_HOME: join(root, 'to-home', 'keys') } })
    assert.equal(outcome.status, 0, outcome.stderr)
    assert.match(outcome.stderr, /keys is left out: it belongs to BLINDKEEP_HOME, which has your keys/)
    assert.match(outcome.stdout, /1 file is deleted here, 0 are kept/)
    const there = new Set(await readdir(join(path, 'keys', 'profiles'), { recursive: true }))
    assert.deepEqual(
      before.filter((name) => !there.has(name)),
      [],
    )
  })

  it('keeps a file that the server does not vouch for', async () => {
    const path = await folder('lost', { 'a.bin': randomBytes(1000) })
    world.proxy.tamper(
      changedVerdict((verdict) => {
        verdict.durable = false
      }),
    )
    const outcome = await run(upload('lost', '--then-delete', '--yes'))
    world.proxy.tamper()
    assert.deepEqual([outcome.status, existsSync(join(path, 'a.bin'))], [1, true], outcome.stderr)
    assert.equal((await owner.asset((await assetIdsOf(owner)).at(-1) ?? '')).albumId, album.albumId)
  })
})
