/** The command line on disks that lack what it can go without, as SMB, exFAT and Android have them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openOffice } from './testing/office.ts'
import { factsOf, openSharedWorld } from './testing/world.ts'

const world = await openSharedWorld()
const { root, run } = world
const here = await openOffice(world, 'office')
await here.owner.createAlbum({ name: 'Kept' })

/** Only these calls stop the process: a whole trace of it costs more than its work. */
const strace = (...injected: readonly string[]) => [
  ...['strace', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null'],
  ...['-e', `trace=${injected.map((one) => one.slice(0, one.indexOf(':'))).join()}`],
  ...injected.flatMap((one) => ['-e', `inject=${one}`]),
]
const NO_BLOCKS = `@arg2=${'00'.repeat(120)}`
/** Each lack is at another call, which must do without it: no lack hides another one. */
const DISKS = {
  'without rights, times and hard links, that does not say its free space': strace(
    '?chmod,fchmod,fchmodat:error=EPERM',
    '?utimes,?futimesat,utimensat:error=EPERM',
    '?link,linkat:error=EPERM',
    'statfs:error=ENOSYS',
  ),
  'that denies hard links, and says that it has no blocks': strace(
    '?link,linkat:error=EACCES',
    `statfs:poke_exit=${NO_BLOCKS}`,
  ),
}
const missing = await promisify(execFile)('strace', [...strace(`statfs:poke_exit=${NO_BLOCKS}`).slice(1), 'true']).then(
  () => false,
  () => 'needs strace',
)

async function sentAndSaved(under: readonly string[], folder: string) {
  const content = randomBytes(100_000)
  const { url, opaqueId } = await here.owner.createLink()
  const modifiedAt = '2020-02-03T04:05:06.000Z'
  await here.drop(content, { name: 'photos/a.txt', modifiedAt, note: 'once' }, url)
  await world.folder(`${folder}-sent`, { 'b.txt': content })
  const as = ['--profile', here.profile, '--json']
  const calls = [
    ['drop', url, `${folder}-sent/b.txt`, '--proof', '--json'],
    ['upload', `${folder}-sent/b.txt`, '--album', 'Kept', ...as],
    ['inbox', 'save', '--to', folder, '--link', opaqueId, '--notes', '--discard', ...as],
  ]
  for (const call of calls) {
    const outcome = await run(call, { under })
    assert.equal(outcome.status, 0, `${call.join(' ')}\n${outcome.stderr}`)
    const asset = factsOf(outcome).find(({ asset_id }) => asset_id)?.asset_id
    if (asset === undefined) continue
    for (const to of [
      ['--to', `${folder}-got`],
      ['-o', `${folder}-sent/got.txt`],
    ]) {
      const got = await run(['get', asset, ...to, ...as], { under })
      assert.equal(got.status, 0, got.stderr)
    }
    assert.deepEqual(await readFile(join(root, `${folder}-got`, 'b.txt')), content)
  }
  const [proof, file] = ['b.txt.blindkeep-proof.json', 'b.txt'].map((name) => `${folder}-sent/${name}`)
  assert.equal((await run(['receipt', 'check', proof ?? '', file ?? ''])).status, 0)
  assert.deepEqual((await readdir(join(root, folder), { recursive: true })).sort(), [
    'b.txt',
    'photos',
    'photos/a.txt',
    'photos/a.txt.blindkeep-note.txt',
  ])
  assert.deepEqual(await readFile(join(root, folder, 'photos/a.txt')), content)
  assert.deepEqual(await readFile(join(root, folder, 'b.txt')), content)
}

describe('the command line', { skip: missing }, () => {
  for (const [disk, under] of Object.entries(DISKS))
    it(`sends, keeps and saves files on a disk ${disk}`, () => sentAndSaved(under, disk.replaceAll(/\W+/g, '-')))

  it('saves files on a disk that can sync nothing, and leaves the drop that was to be discarded', async () => {
    const { url, opaqueId } = await here.owner.createLink()
    const content = randomBytes(100)
    const dropId = await here.drop(content, { name: 'a.txt' }, url)
    const under = strace('fsync,fdatasync:error=EINVAL')
    const call = ['inbox', 'save', '--to', 'unsynced', '--link', opaqueId, '--profile', here.profile]
    const saved = await run(call, { under })
    assert.equal(saved.status, 0, saved.stderr)
    assert.deepEqual(await readFile(join(root, 'unsynced', 'a.txt')), content)
    for (const more of [[], ['--again']]) {
      const { status, stderr } = await run([...call, '--discard', ...more], { under })
      assert.equal(status, 1)
      assert.match(stderr, /this disk cannot say that a power cut leaves it there/)
    }
    assert.ok((await here.pending()).includes(dropId))
    assert.equal((await run([...call, '--discard'])).status, 0)
    assert.ok(!(await here.pending()).includes(dropId))
  })

  it('saves no file that its disk could not keep, as some say only at the closing', async () => {
    const { url, opaqueId } = await here.owner.createLink()
    const content = randomBytes(100)
    const dropId = await here.drop(content, { name: 'a.txt' }, url)
    const folder = join(root, 'unclosed')
    await mkdir(folder)
    const under = [...strace('close:error=EIO:when=1'), '-P', join(folder, `.blindkeep-${dropId}.part`)]
    const call = ['inbox', 'save', '--to', folder, '--link', opaqueId, '--profile', here.profile, '--discard']
    const failed = await run(call, { under })
    assert.equal(failed.status, 1)
    assert.match(failed.stderr, /EIO/)
    assert.deepEqual(await readdir(folder), [])
    assert.equal((await run(call)).status, 0)
    assert.deepEqual(await readFile(join(folder, 'a.txt')), content)
  })

  for (const size of [10, 100_000])
    it(`deletes no file of ${size} bytes of which its disk gives fewer than it states`, async () => {
      const path = join(await world.folder(`cut-${size}`, { 'a.bin': randomBytes(size) }), 'a.bin')
      const call = ['upload', path, '--album', 'Kept', '--then-delete', '--yes', '--profile', here.profile]
      const { status, stderr } = await run(call, { under: [...strace('pread64:retval=0'), '-P', path] })
      assert.equal(status, 1)
      assert.match(stderr, size === 10 ? /states another size than it gives/ : /states 100000 bytes and gives 0/)
      assert.equal((await stat(path)).size, size)
    })

  it('saves a file under a plain name where the disk denies the name', async () => {
    const { url, opaqueId } = await here.owner.createLink()
    await here.drop(randomBytes(100), { name: 'é.txt' }, url)
    const folder = join(root, 'plain')
    await mkdir(folder)
    const under = [...strace('?open,openat,?link,linkat:error=EPERM'), '-P', join(folder, 'é.txt')]
    const call = ['inbox', 'save', '--to', folder, '--link', opaqueId, '--profile', here.profile]
    const { status, stderr } = await run(call, { under })
    assert.equal(status, 0, stderr)
    assert.deepEqual(await readdir(folder), ['e.txt'])
  })

  it('keeps the receipt of a file in whose folder nothing can be written in its home', async () => {
    const { url } = await here.owner.createLink()
    const { status, stderr } = await run(['drop', url, '/proc/version'])
    assert.equal(status, 0, stderr)
    assert.match((await readdir(join(root, 'home', 'receipts'))).join(), /^version\..*receipt\.json/)
  })

  it('says which folder it needs, where a user has none or its disk takes none', async () => {
    const { url } = await here.owner.createLink()
    const call = ['drop', url, join(await world.folder('homeless', { 'a.txt': randomBytes(9) }), 'a.txt')]
    for (const [HOME, said] of [
      ['/proc', /\/proc\/\.config cannot be made: its disk takes no new folder there/],
      ['', /has no home directory, .* Set BLINDKEEP_HOME/],
    ] as const) {
      const { status, stderr } = await run(call, { env: { HOME, BLINDKEEP_HOME: '' } })
      assert.equal(status, 1)
      assert.match(stderr, said)
    }
  })

  for (const [calls, said] of [
    ['pread64:error=EIO', /sent\/a\.bin cannot be read or written: its disk fails/],
    ['fsync:error=ENOSPC', /home\/drops\/[0-9a-f]+\.json cannot be written: the disk is full/],
    ['fsync:error=EDQUOT', /home\/drops\/[0-9a-f]+\.json cannot be written: your share of its disk is used up/],
  ] as const)
    it(`names the file when the system answers ${calls}`, async () => {
      const { url } = await here.owner.createLink()
      const path = join(await world.folder('sent', { 'a.bin': randomBytes(100) }), 'a.bin')
      const only = calls.startsWith('pread64') ? ['-P', path] : []
      const { status, stderr } = await run(['drop', url, path], { under: [...strace(calls), ...only] })
      assert.equal(status, 1)
      assert.match(stderr, said)
    })

  it('saves files into a folder that cannot be synced', async () => {
    const folder = join(root, 'unsynced-folder')
    await mkdir(folder)
    const { url, opaqueId } = await here.owner.createLink()
    const content = randomBytes(100)
    await here.drop(content, { name: 'a.txt' }, url)
    const under = [...strace('fsync:error=EOPNOTSUPP'), '-P', folder]
    const call = ['inbox', 'save', '--to', folder, '--link', opaqueId, '--profile', here.profile, '--discard']
    const { status, stderr } = await run(call, { under })
    assert.equal(status, 0, stderr)
    assert.deepEqual(await readFile(join(folder, 'a.txt')), content)
  })
})
