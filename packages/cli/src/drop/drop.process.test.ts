/** `blindkeep drop` as a process, against a real server behind a proxy that cuts and lies. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { CreatedLink, DescribedDrop } from '@blindkeep/client/owner'
import { newOwner, openedDrops } from '../../../../testing/people.ts'
import type { Exchanged, Message } from '../../../../testing/tamperingProxy.ts'
import { until } from '../../../../testing/until.ts'
import { factsOf, finished, type Outcome, openWorld } from '../testing/world.ts'

const CHUNK_BYTES = 256 * 1024

const world = await openWorld({ CHUNK_BYTES_SUGGESTED: String(CHUNK_BYTES) })
const { root, run, start, folder } = world
const owner = await newOwner(world.proxy.url, nodeEnvironment)

const isOf =
  (link: CreatedLink, method: string) =>
  ({ method: asked, path }: Exchanged) =>
    asked === method && path.startsWith(`/d/${link.opaqueId}`)
/** Offsets of the acknowledged or lost chunks of a link, in order. */
const chunksOf = (link: CreatedLink) =>
  world.proxy.seen.filter(isOf(link, 'PATCH')).map(({ headers }) => Number(headers['x-service-offset']))

async function dropsOf(link: CreatedLink): Promise<readonly DescribedDrop[]> {
  return (await openedDrops(owner)).filter(({ opaqueId }) => opaqueId === link.opaqueId)
}

async function namesOf(link: CreatedLink): Promise<readonly (string | undefined)[]> {
  return (await dropsOf(link)).map(({ file }) => file.name).sort()
}

/** Waits until the link has seen so many chunks. Throws if the process ends before. */
async function untilChunks(link: CreatedLink, count: number, ended: Promise<Outcome>): Promise<void> {
  let early: Outcome | undefined
  ended.then((outcome) => {
    early = outcome
  })
  while (chunksOf(link).length < count) {
    assert.equal(early, undefined)
    await wait(5)
  }
}

describe('blindkeep drop', () => {
  it('takes a link of which a program has rewritten the #, and says who has seen the key', async () => {
    const link = await owner.createLink()
    await folder('carried', { 'a.txt': randomBytes(10) })
    const { status, stderr, stdout } = await run([
      'drop',
      `${link.url.replace('#', '%2523')}).`,
      'carried/a.txt',
      '--json',
    ])
    assert.equal(status, 0, stderr)
    assert.match(stderr, /changed its # to %23, so servers have seen it\. .*ask the owner for a new link/)
    assert.match(stdout, /"event":"address_exposed"/)
    assert.deepEqual(await namesOf(link), ['a.txt'])
  })

  it('does not say that a file had landed before which may have another content with its size and date', async () => {
    const link = await owner.createLink()
    const path = join(await folder('touched', { 'a.bin': randomBytes(1000) }), 'a.bin')
    const { mtime } = await stat(path)
    assert.equal((await run(['drop', link.url, path])).status, 0)
    await writeFile(path, randomBytes(1000))
    await utimes(path, mtime, mtime)
    const { status, stdout, stderr } = await run(['drop', link.url, path, '--json'])
    assert.equal(status, 1)
    assert.match(stderr, /a\.bin: It landed on .*Its content may be another one.* --again sends it/)
    assert.equal(
      factsOf({ status, stdout, stderr }).some(({ event }) => event === 'landed_before'),
      false,
    )
    assert.equal((await run(['drop', link.url, path, '--again'])).status, 0)
    assert.equal((await run(['drop', link.url, path])).status, 0)
    assert.equal((await dropsOf(link)).length, 2)
  })

  it('sends folders with their names, saves checked receipts, and sends nothing twice', async () => {
    const link = await owner.createLink({ title: 'Scans', message: 'Until Sunday' })
    const files = { 'a.txt': randomBytes(10), 'in/b.bin': randomBytes(600_000), 'in/deeper/empty': new Uint8Array() }
    const path = await folder('folder', files)
    await symlink(join(path, 'a.txt'), join(path, 'in', 'link'))
    const args = ['drop', link.url, 'folder', '--note', 'from the train', '--sender', 'Ada']
    const first = await run(args)
    assert.equal(first.status, 0, first.stderr)
    assert.match(first.stdout, /^3 files have landed\.$/m)
    assert.match(first.stderr, /^The owner of the link says: Scans\nThe owner of the link says: Until Sunday$/m)
    assert.match(first.stderr, /in\/link is left out: it is a symbolic link/)
    assert.deepEqual(await namesOf(link), ['folder/a.txt', 'folder/in/b.bin', 'folder/in/deeper/empty'])
    assert.ok((await dropsOf(link)).every(({ file }) => file.note === 'from the train' && file.sender === 'Ada'))
    const batches = (await dropsOf(link)).map(({ file }) => file.batch)
    assert.equal(new Set(batches.map((batch) => batch?.id)).size, 1)
    assert.deepEqual(batches.map((batch) => batch?.index).toSorted(), [0, 1, 2])
    assert.ok(batches.every((batch) => batch?.count === 3))
    const receipt = JSON.parse(await readFile(join(path, 'in/b.bin.blindkeep-receipt.json'), 'utf8'))
    const drop = (await dropsOf(link)).find(({ file }) => file.name === 'folder/in/b.bin')
    assert.equal(receipt.ciphertext_hash, drop?.ciphertextHash)

    const again = await run([...args, '--json'])
    assert.equal(again.status, 0, again.stderr)
    assert.deepEqual(factsOf(again).at(-1), { event: 'done', landed: 0, landed_before: 3, failed: 0 })
    assert.equal((await dropsOf(link)).length, 3)
    await run([...args, '--again', '--json'])
    assert.equal((await dropsOf(link)).length, 6)
  })

  it('says once why it waits when no terminal shows its rows, and goes on when the server has room', async () => {
    const link = await owner.createLink()
    await folder('full', { 'one.bin': randomBytes(1000), 'two.bin': randomBytes(1000) })
    await world.server.restart({ FREE_SPACE_FLOOR_BYTES: '4PB' })
    const child = start(['drop', link.url, 'full', '--json'])
    const ended = finished(child)
    const refused = () => world.proxy.seen.filter(isOf(link, 'POST')).length
    // Both have been refused, and one of them again.
    while (refused() < 3) await wait(5)
    await world.server.restart({ FREE_SPACE_FLOOR_BYTES: '0' })
    const outcome = await ended
    assert.equal(outcome.status, 0, outcome.stderr)
    assert.equal(outcome.stderr.match(/the server has no space: this call waits, and tries again/g)?.length, 1)
    const said = factsOf(outcome).filter(({ event, trouble }) => event === 'waiting' && trouble === 'disk_full')
    assert.equal(said.length, 1)
    assert.equal((await dropsOf(link)).length, 2)
  })

  it('sends what a file has, whatever size the system states', async () => {
    const link = await owner.createLink()
    for (const path of ['/proc/version', '/sys/devices/system/cpu/online']) {
      const { status, stderr } = await run(['drop', link.url, path, '--receipts', root])
      assert.equal(status, 0, stderr)
      const [drop] = (await dropsOf(link)).filter(({ file }) => file.name === basename(path))
      assert.ok(drop)
      const content = await new Response((await owner.openDrop(drop)).content).text()
      assert.equal(content, await readFile(path, 'utf8'))
    }
  })

  it('sends a file whose name is no UTF-8, names empty folders, and fails where there is no file', async () => {
    const link = await owner.createLink()
    const path = await folder('names', { 'fine.txt': randomBytes(10) })
    const latin = Buffer.from('caf\xe9', 'latin1')
    const inLatin = Buffer.concat([Buffer.from(`${path}/`), latin])
    await mkdir(inLatin)
    await writeFile(Buffer.concat([inLatin, Buffer.from('/'), latin]), 'content')
    await mkdir(join(path, 'nothing', 'deeper'), { recursive: true })
    const sent = await run(['drop', link.url, 'names', '--json'])
    assert.equal(sent.status, 0, sent.stderr)
    assert.deepEqual(await namesOf(link), ['names/caf%E9/caf%E9', 'names/fine.txt'])
    assert.match(sent.stderr, /^blindkeep: 1 empty folder is not sent: names\/nothing\/deeper\.$/m)
    assert.deepEqual(factsOf(await run(['drop', link.url, 'names', '--json'])).at(-1)?.landed_before, 2)

    const none = await run(['drop', link.url, 'names/nothing'])
    assert.deepEqual([none.status, none.stdout.includes('landed')], [1, false])
    assert.match(none.stderr, /^blindkeep: There is no file in what was named, so nothing was sent\.$/m)
    // As a shell gives it; Node makes U+FFFD of it.
    const named = await run(['drop', link.url, `names/caf\uFFFD`])
    assert.equal(named.status, 1)
    assert.match(named.stderr, /its name is not UTF-8/)
  })

  it('sends a file that grows meanwhile as it is at last, and says in plain words if it goes on growing', async () => {
    const link = await owner.createLink()
    const path = join(await folder('growing', { 'log.txt': randomBytes(1000) }), 'log.txt')
    const send = () => run(['drop', link.url, path, '--again'])
    const grow = (message: Message) => {
      appendFileSync(path, randomBytes(1000))
      return message
    }
    world.proxy.tamper({ matches: isOf(link, 'POST'), times: 1, request: grow })
    const once = await send()
    assert.equal(once.status, 0, once.stderr)
    assert.deepEqual(
      (await dropsOf(link)).map(({ file }) => file.size),
      [2000],
    )
    world.proxy.tamper({ matches: isOf(link, 'POST'), request: grow })
    const always = await send()
    world.proxy.tamper()
    assert.equal(always.status, 1)
    assert.match(
      always.stderr,
      /changed while it was being sent\. Nothing that changed was sent\. Send it again once no program writes to it/,
    )
  })

  it('keeps no key of a landed file, and what it keeps only this user may read', async () => {
    const link = await owner.createLink()
    const home = join(root, 'private')
    await folder('secret', { 'x.bin': randomBytes(1000) })
    await run(['drop', link.url, 'secret/x.bin'], { env: { BLINDKEEP_HOME: home } })
    const [record = ''] = await readdir(join(home, 'drops'))
    const kept = await readFile(join(home, 'drops', record), 'utf8')
    assert.ok(!kept.includes('"key"') && kept.includes('"landed"'))
    const modes = await Promise.all([home, join(home, 'drops'), join(home, 'drops', record)].map((path) => stat(path)))
    assert.deepEqual(
      modes.map(({ mode }) => mode & 0o777),
      [0o700, 0o700, 0o600],
    )
  })

  for (const signal of ['SIGKILL', 'SIGINT'] as const)
    it(`goes on by the same line after ${signal}, and sends no acknowledged chunk again`, async () => {
      const link = await owner.createLink()
      const content = randomBytes(24 * CHUNK_BYTES)
      await folder(signal, { 'big.bin': content })
      const args = ['drop', link.url, signal]
      const child = start(args)
      const ended = finished(child)
      await untilChunks(link, 3, ended)
      child.kill(signal)
      const { status, stderr } = await ended
      if (signal === 'SIGINT') {
        assert.equal(status, 130)
        assert.match(stderr, /^blindkeep: Stopped: 0 of 1 file has landed\. Call the same line again to go on/m)
      }
      const sent = chunksOf(link)
      await folder(signal, { 'late.bin': randomBytes(10) })
      const second = await run(args)
      assert.equal(second.status, 0, second.stderr)
      const [later = 0] = chunksOf(link).slice(sent.length)
      // The last one may have been cut before its answer.
      assert.ok(later >= (sent.at(-1) ?? 0), `${later} after ${sent.join(' ')}`)
      const [small, big, ...others] = (await dropsOf(link)).toSorted((one, other) => one.file.size - other.file.size)
      assert.ok(small && big && others.length === 0)
      assert.equal(big.file.size, content.length)
      assert.deepEqual(big.file.batch, { id: small.file.batch?.id, index: 0, count: 1 })
      assert.partialDeepStrictEqual(small.file.batch, { index: 1, count: 2 })
    })

  it('gives a file that has changed a key of its own', async () => {
    const link = await owner.createLink()
    const path = join(await folder('changing', { 'big.bin': randomBytes(24 * CHUNK_BYTES) }), 'big.bin')
    const child = start(['drop', link.url, path])
    const ended = finished(child)
    await untilChunks(link, 3, ended)
    child.kill('SIGKILL')
    await ended
    const { mtime } = await stat(path)
    const changed = randomBytes(24 * CHUNK_BYTES)
    await writeFile(path, changed)
    // Neither its size nor its time tells.
    await utimes(path, mtime, mtime)
    const second = await run(['drop', link.url, path])
    assert.equal(second.status, 0, second.stderr)
    await truncate(path, 5)
    const third = await run(['drop', link.url, path])
    assert.equal(third.status, 0, third.stderr)
    const sizes = (await dropsOf(link)).map(({ file }) => file.size)
    assert.deepEqual(sizes.sort(), [changed.length, 5].sort())
    const opened = (await dropsOf(link)).find(({ file }) => file.size === changed.length)
    assert.ok(opened)
    assert.deepEqual(Buffer.from(await new Response((await owner.openDrop(opened)).content).arrayBuffer()), changed)
  })

  it('gives back the room of an upload that had another note', async () => {
    const link = await owner.createLink()
    await folder('noted', { 'big.bin': randomBytes(24 * CHUNK_BYTES) })
    const child = start(['drop', link.url, 'noted', '--note', 'the first one'])
    const ended = finished(child)
    await untilChunks(link, 3, ended)
    child.kill('SIGKILL')
    await ended
    const second = await run(['drop', link.url, 'noted', '--note', 'the other one'])
    assert.equal(second.status, 0, second.stderr)
    assert.deepEqual(
      (await dropsOf(link)).map(({ file }) => file.note),
      ['the other one'],
    )
    const now = (await owner.listLinks()).find(({ opaqueId }) => opaqueId === link.opaqueId)
    assert.equal(now?.openSessions, 0)
  })

  it('takes standard input under a name', async () => {
    const link = await owner.createLink()
    const spool = join(root, 'home', 'spool')
    await mkdir(spool, { recursive: true })
    await writeFile(join(spool, randomUUID()), 'left by a killed process')
    const outcome = await run(['drop', link.url, '-', '--name', 'notes.txt', '--json'], { input: Buffer.from('text') })
    const facts = factsOf(outcome)
    assert.deepEqual(
      facts.map(({ event }) => event),
      ['link', 'landed', 'done'],
    )
    assert.ok((await stat(facts[1].receipt_file)).size > 0)
    assert.deepEqual(await namesOf(link), ['notes.txt'])
    assert.deepEqual(await readdir(spool), [])
  })

  it('waits for standard input that comes late, and stops while it waits without sending a part of it', async () => {
    const link = await owner.createLink()
    const args = ['drop', link.url, '-', '--name', 'late.txt']
    const late = start(args)
    const [outcome, spooled] = [finished(late), join(root, 'home', 'spool')]
    const untilSpooled = async () => {
      while ((await readdir(spooled).catch(() => [])).length === 0) await wait(20)
    }
    late.stdin?.write('first, ')
    await untilSpooled()
    await wait(500)
    late.stdin?.end('second')
    assert.equal((await outcome).status, 0, (await outcome).stderr)
    assert.deepEqual(
      (await dropsOf(link)).map(({ file }) => file.size),
      ['first, second'.length],
    )

    const stopped = start(args)
    const ended = finished(stopped)
    stopped.stdin?.on('error', () => undefined)
    stopped.stdin?.write('a part')
    await untilSpooled()
    stopped.kill('SIGTERM')
    const { status, stderr } = await ended
    assert.deepEqual([status, stderr], [130, 'blindkeep: Stopped.\n'])
    assert.deepEqual(await readdir(spooled), [])
    assert.equal((await dropsOf(link)).length, 1)
  })

  it('says which files the link cannot take, sends the others, and exits with 1', async () => {
    const link = await owner.createLink({ caps: { maxFileSize: 100_000 } })
    const large = randomBytes(200_000)
    await folder('misfits', { 'large.bin': large, 'larger.bin': large, 'small.bin': randomBytes(10) })
    const { status, stderr } = await run(['drop', link.url, 'misfits', 'misfits/nowhere'])
    assert.equal(status, 1)
    assert.match(stderr, /misfits\/large\.bin: 200 kB are more than the link takes/)
    assert.match(stderr, /misfits\/nowhere does not exist/)
    assert.match(stderr, /The owner of the link will see why files did not fit, but not which files\.\n$/)
    assert.deepEqual(await namesOf(link), ['misfits/small.bin'])
    const refused = async () => (await owner.listLinks()).find(({ opaqueId }) => opaqueId === link.opaqueId)?.refused
    await until(async () => (await refused()) !== undefined, 'the owner hears of it')
    assert.deepEqual((await refused())?.reasons, [{ why: 'too_large', count: 1 }])
  })

  it('says before it sends which files fit into what the link still takes, in the order of their numbers', async () => {
    const link = await owner.createLink({ caps: { maxFileCount: 3 } })
    const names = ['scan 1', 'scan 2', 'scan 9', 'scan 10']
    await folder('scans', Object.fromEntries(names.map((name) => [name, randomBytes(10)])))
    const first = await run(['drop', link.url, 'scans'])
    assert.equal(first.status, 1)
    assert.match(
      first.stderr,
      /^blindkeep: scans\/scan 10: The link takes only 3 more files\. .*\n3 of 4 files will be sent: scans\/scan 1, scans\/scan 2, scans\/scan 9\.\nThe owner of the link will see why .*\n$/,
    )
    assert.match(first.stdout, /^3 files have landed, 1 did not: scans\/scan 10\.$/m)
    assert.deepEqual(await namesOf(link), ['scans/scan 1', 'scans/scan 2', 'scans/scan 9'])
    assert.ok((await dropsOf(link)).every(({ file }) => file.batch?.count === 3))

    const again = await run(['drop', link.url, 'scans', '--json'])
    assert.equal(again.status, 1)
    assert.match(again.stderr, /^blindkeep: scans\/scan 10: The link takes no more files\./)
    assert.deepEqual(factsOf(again).at(-1), { event: 'done', landed: 0, landed_before: 3, failed: 1 })
    const people = await run(['drop', link.url, 'scans'])
    assert.ok(!people.stderr.includes('will be sent'), people.stderr)

    await owner.changeLink(link.opaqueId, { maxFileCount: 4 })
    await folder('scans', { 'scan 11': randomBytes(10) })
    const more = await run(['drop', link.url, 'scans'])
    assert.match(more.stderr, /^1 of 2 files will be sent: scans\/scan 10\.$/m)
    const last = (await dropsOf(link)).find(({ file }) => file.name === 'scans/scan 10')
    assert.partialDeepStrictEqual(last?.file.batch, { index: 0, count: 1 })
  })

  it('goes on with a file whose own upload fills the link', async () => {
    const content = randomBytes(24 * CHUNK_BYTES)
    const link = await owner.createLink({ caps: { maxFileCount: 1, maxTotalBytes: content.length + CHUNK_BYTES } })
    await folder('filling', { 'big.bin': content })
    const child = start(['drop', link.url, 'filling'])
    const ended = finished(child)
    await untilChunks(link, 3, ended)
    child.kill('SIGKILL')
    await ended
    const second = await run(['drop', link.url, 'filling'])
    assert.equal(second.status, 0, second.stderr)
    assert.deepEqual(await namesOf(link), ['filling/big.bin'])
  })

  it('says that a link takes one file, sends no one of several, and says afterwards that this was all', async () => {
    const link = await owner.createLink({ singleUse: true })
    await folder('single', { 'a.bin': randomBytes(10), 'b.bin': randomBytes(10) })
    const several = await run(['drop', link.url, 'single'])
    assert.equal(several.status, 2)
    assert.match(several.stdout, /^The link takes one file, /m)
    assert.match(several.stderr, /takes one file, and these are 2\. Nothing was sent/)
    assert.deepEqual(await namesOf(link), [])
    const one = await run(['drop', link.url, 'single/a.bin'])
    assert.equal(one.status, 0, one.stderr)
    assert.match(one.stdout, /This was the one file that the link takes/)
    assert.deepEqual(await namesOf(link), ['a.bin'])

    const again = await run(['drop', link.url, 'single/a.bin'])
    assert.equal(again.status, 0, again.stderr)
    assert.match(again.stdout, /^single\/a\.bin had landed before\. --again sends it again\.$/m)
    const other = await run(['drop', link.url, 'single/b.bin'])
    assert.deepEqual([other.status, other.stderr.startsWith('blindkeep: The link takes no files')], [1, true])
  })

  it('says of a revoked link what has landed, also if the owner has discarded it, and what has not', async () => {
    const link = await owner.createLink()
    await folder('revoked', { 'a.bin': randomBytes(10) })
    await run(['drop', link.url, 'revoked'])
    const [drop] = await dropsOf(link)
    await owner.discardDrop(drop?.dropId ?? '')
    await owner.revokeLink(link.opaqueId)
    const [said, done] = await world.facts(['drop', link.url, 'revoked'])
    assert.deepEqual([said.event, said.confirmed, done.landed_before], ['landed_before', true, 1])
    await folder('revoked', { 'b.bin': randomBytes(10) })
    const more = await run(['drop', link.url, 'revoked'])
    assert.equal(more.status, 1)
    assert.match(more.stderr, /^blindkeep: revoked\/b\.bin: The link takes no files: /)
    assert.match(more.stdout, /^0 files have landed, 1 had landed before, 1 did not: revoked\/b\.bin\.$/m)
  })

  it('does not ask for a file that landed too long ago for an answer, and says so', async () => {
    const link = await owner.createLink()
    const home = join(root, 'old-home')
    const env = { BLINDKEEP_HOME: home }
    await folder('long-ago', { 'a.bin': randomBytes(10) })
    await run(['drop', link.url, 'long-ago'], { env })
    const [record = ''] = await readdir(join(home, 'drops'))
    const kept = await readFile(join(home, 'drops', record), 'utf8')
    await writeFile(join(home, 'drops', record), kept.replace(/"landedAt":"20\d\d/, '"landedAt":"2001'))
    const asked = world.proxy.seen.filter(isOf(link, 'GET')).length
    const { status, stdout } = await run(['drop', link.url, 'long-ago'], { env })
    assert.equal(status, 0)
    assert.match(stdout, /a\.bin had landed before, too long ago for the server to answer whether it still has it\./)
    assert.equal(world.proxy.seen.filter(isOf(link, 'GET')).length, asked + 1)
  })

  it('says that a file that landed before was not asked for when no server answers', async () => {
    const link = await owner.createLink()
    await folder('away', { 'a.bin': randomBytes(10) })
    await run(['drop', link.url, 'away'])
    world.proxy.tamper({ matches: isOf(link, 'GET'), lose: 'request' })
    const away = await run(['drop', link.url, 'away'])
    world.proxy.tamper()
    assert.equal(away.status, 1)
    assert.match(
      away.stderr,
      /It landed on \S+ \S+, receipt \d+\. Whether the server still has it could not be asked\. The server cannot be reached/,
    )
    assert.match(away.stdout, /1 had landed before, but the server could not be asked: away\/a\.bin\.$/m)
  })

  it('takes the passphrase from a file or the environment, also after a wrong one', async () => {
    const link = await owner.createLink({ passphrase: 'correct horse' })
    await folder('passphrase', { 'x.bin': randomBytes(10), word: Buffer.from('correct horse\n') })
    const args = ['drop', link.url, 'passphrase/x.bin']
    assert.equal((await run(args)).status, 2)
    const wrong = await run(args, { env: { BLINDKEEP_PASSPHRASE: 'wrong' } })
    assert.equal(wrong.status, 1)
    assert.match(wrong.stderr, /passphrase is missing or wrong.*call it again with the right one/)
    assert.equal((await run([...args, '--passphrase-file', 'passphrase/word'])).status, 0)
    assert.equal((await dropsOf(link)).length, 1)
    const spelled = await run([...args, '--again'], { env: { BLINDKEEP_PASSPHRASE: 'Correct-HORSE' } })
    assert.equal(spelled.status, 0, spelled.stderr)
    assert.equal((await dropsOf(link)).length, 2)
  })

  it('opens a link of an older client, which took the passphrase as it was typed, with one proof of it for many files', async () => {
    const passphraseProof: typeof nodeEnvironment.passphraseProof = (_, salt) =>
      nodeEnvironment.passphraseProof('Correct-Horse', salt)
    const before = await newOwner(world.proxy.url, { ...nodeEnvironment, passphraseProof })
    const link = await before.createLink({ passphrase: 'Correct-Horse' })
    const names = Array.from({ length: 15 }, (_, index) => `${index}.bin`)
    await folder('old', Object.fromEntries(names.map((name) => [name, randomBytes(10)])))
    const counting = join(root, 'counting.mjs')
    await writeFile(
      counting,
      `import crypto from 'node:crypto'
      import { syncBuiltinESMExports } from 'node:module'
      const { argon2 } = crypto
      let count = 0
      crypto.argon2 = (...given) => (count++, argon2(...given))
      syncBuiltinESMExports()
      process.on('exit', () => console.error(count + ' proofs'))`,
    )
    // The server accepts ten wrong ones.
    const outcome = await run(['drop', link.url, 'old', '--json'], {
      env: { BLINDKEEP_PASSPHRASE: 'Correct-Horse', NODE_OPTIONS: `--import=${counting}` },
    })
    assert.equal(outcome.status, 0, outcome.stderr)
    assert.equal(factsOf(outcome).at(-1).landed, names.length)
    // One of each spelling.
    assert.match(outcome.stderr, /^2 proofs$/m)
  })

  it('sends nothing to a server that swaps the key of the link, and exits with 3', async () => {
    const [link, other] = [await owner.createLink(), await owner.createLink()]
    await folder('swapped', { 'x.bin': randomBytes(10) })
    const foreign = await (await fetch(`${world.server.url}/d/${other.opaqueId}`)).json()
    world.proxy.tamper({
      matches: isOf(link, 'GET'),
      answer: ({ headers, body }) => {
        const honest = JSON.parse(body.toString())
        return { headers, body: Buffer.from(JSON.stringify({ ...honest, drop_pubkey: foreign.drop_pubkey })) }
      },
    })
    const { status, stderr } = await run(['drop', link.url, 'swapped'])
    world.proxy.tamper()
    assert.equal(status, 3)
    assert.match(stderr, /the link is mistyped, or the server is tampering/)
    assert.ok(!stderr.includes(link.url.split('#')[1] ?? ''))
    assert.deepEqual(await dropsOf(link), [])
  })

  it('sends nothing through a link whose secret is mistyped, and exits with 3', async () => {
    const { url, opaqueId } = await owner.createLink()
    await folder('mistyped', { 'x.bin': randomBytes(10) })
    const at = url.indexOf('#') + 10
    const mistyped = `${url.slice(0, at)}${url[at] === 'A' ? 'B' : 'A'}${url.slice(at + 1)}`
    const { status, stderr } = await run(['drop', mistyped, 'mistyped'], { apart: true })
    assert.equal(status, 3)
    assert.match(stderr, /the link is mistyped, or the server has changed it\. Nothing was sent/)
    assert.deepEqual(await dropsOf({ opaqueId, url }), [])
  })

  it('does not take a changed receipt, exits with 3, and saves the true one when it is called again', async () => {
    const link = await owner.createLink()
    const path = await folder('receipts', { 'x.bin': randomBytes(10) })
    world.proxy.tamper({
      matches: ({ path: asked }) => asked.startsWith(`/d/${link.opaqueId}/`) && asked.endsWith('/receipt'),
      answer: ({ headers, body }) => {
        const receipt = JSON.parse(body.toString())
        return { headers, body: Buffer.from(JSON.stringify({ ...receipt, size: receipt.size + 1 })) }
      },
    })
    const lied = await run(['drop', link.url, 'receipts'])
    world.proxy.tamper()
    assert.equal(lied.status, 3, lied.stderr)
    assert.match(lied.stderr, /It was sent, and the server says that it has it\. The receipt does not hold/)
    assert.match(lied.stdout, /^0 files have landed, 1 was sent, but its receipt did not hold: receipts\/x\.bin\.$/m)
    const honest = await run(['drop', link.url, 'receipts', '--json'])
    assert.equal(honest.status, 0, honest.stderr)
    assert.equal((await dropsOf(link)).length, 1)
    assert.ok((await stat(join(path, 'x.bin.blindkeep-receipt.json'))).size > 0)
  })

  it('saves the receipt of what has landed although the file may have changed since', async () => {
    const link = await owner.createLink()
    const path = join(await folder('late-receipt', { 'x.bin': randomBytes(10) }), 'x.bin')
    world.proxy.tamper({ matches: ({ path: asked }) => asked.endsWith('/receipt'), instead: 422 })
    assert.equal((await run(['drop', link.url, path])).status, 1)
    world.proxy.tamper()
    await chmod(path, 0o600)
    for (let call = 0; call < 2; call += 1) {
      const { status, stderr } = await run(['drop', link.url, path])
      assert.equal(status, 1)
      assert.match(stderr, /It landed on .*, receipt \d+, and something about it was changed since/)
      assert.ok((await stat(`${path}.blindkeep-receipt.json`)).size > 0)
    }
    assert.equal((await dropsOf(link)).length, 1)
  })

  it('reads the link from standard input, so that it is no argument', async () => {
    const link = await owner.createLink()
    await folder('piped-link', { 'a.bin': randomBytes(10) })
    const { status, stderr } = await run(['drop', '-', 'piped-link'], { input: Buffer.from(`${link.url}\n`) })
    assert.equal(status, 0, stderr)
    assert.equal((await dropsOf(link)).length, 1)
  })

  it('goes on when the reader of its output goes away', async () => {
    const link = await owner.createLink()
    await folder('piped', { 'a.bin': randomBytes(10), 'b.bin': randomBytes(10) })
    const child = start(['drop', link.url, 'piped'])
    child.stdout?.destroy()
    child.stderr?.destroy()
    const [status] = await once(child, 'close')
    assert.equal(status, 0)
    assert.equal((await dropsOf(link)).length, 2)
  })

  it('answers each wrong call with a line that says what to do, and no stack', async () => {
    const link = await owner.createLink()
    const calls = [
      { args: [], status: 2, says: /Usage: blindkeep/ },
      { args: ['drop'], status: 2, says: /missing required argument 'link'/ },
      { args: ['drop', 'https://example.org/', 'x'], status: 1, says: /not an upload link/ },
      { args: ['drop', link.url.split('#')[0] ?? '', 'x'], status: 1, says: /The part of the link after # is missing/ },
      { args: ['drop', link.url, '-'], status: 2, says: /add --name/ },
      { args: ['drop', '-', '-', '--name', 'y'], status: 2, says: /cannot both be standard input/ },
      { args: ['drop', link.url, 'x', '--name', 'y'], status: 2, says: /files keep their names/ },
      { args: ['drop', `http://127.0.0.1:9/u/${link.url.split('/u/')[1]}`, 'x'], status: 1, says: /cannot be reached/ },
    ]
    for (const { args, status, says } of calls) {
      const outcome = await run(args, { apart: true })
      assert.deepEqual([outcome.status, outcome.stderr.match(says)?.length], [status, 1], outcome.stderr)
      assert.ok(!/\n {4}at /.test(outcome.stderr))
    }
  })
})
