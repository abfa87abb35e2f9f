/** Retentions from the command line, against a real server: as files are kept, and raised afterwards. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Exchanged } from '../../../../testing/tamperingProxy.ts'
import { holding, openOffice } from '../testing/office.ts'
import { openSharedWorld } from '../testing/world.ts'

const DAY_MS = 86_400_000

const world = await openSharedWorld()
const { run, facts, folder, start } = world
const { owner, profile, drop } = await openOffice(world, 'office')
await owner.createAlbum({ name: 'Backups' })
const as = ['--profile', profile]
const upload = (...args: readonly string[]) => ['upload', '--album', 'Backups', ...args, ...as]

/** The lines about files. */
const filesOf = async (args: readonly string[]) => (await facts(args)).filter(({ asset_id }) => asset_id !== undefined)

/** In how many days the server lets the file be deleted; undefined if at once. */
async function daysOf(assetId: string): Promise<number | undefined> {
  const { retainedUntil } = await owner.asset(assetId)
  return retainedUntil === undefined ? undefined : Math.round((Date.parse(retainedUntil) - Date.now()) / DAY_MS)
}

describe('blindkeep upload --retain', () => {
  it('asks once, in plain words, and protects what lands and what had landed before', async () => {
    await folder('sent', { 'a.txt': randomBytes(10), 'b.txt': randomBytes(10) })
    const unasked = await run(upload('sent', '--retain', '30d'))
    assert.equal(unasked.status, 2)
    assert.match(unasked.stderr, /These 2 files cannot be deleted before .*operator.*quota.*account.*--yes/)
    const [before] = await facts(upload('sent/a.txt'))
    assert.equal(await daysOf(before.asset_id), undefined)
    const landed = await filesOf(upload('sent', '--retain', '30d', '--yes'))
    assert.deepEqual(landed.map(({ event }) => event).toSorted(), ['landed', 'landed_before'])
    for (const { asset_id } of landed) assert.equal(await daysOf(asset_id), 30)
    await facts(upload('sent', '--retain', '40d', '--yes'))
    for (const { asset_id } of landed) assert.equal(await daysOf(asset_id), 40)
    const { status, stderr } = await run(['rm', before.asset_id, '--yes', ...as])
    assert.equal(status, 1)
    assert.match(stderr, /a\.txt: It must be kept until \d{4}-/)
    const tooLong = await run(upload('sent', '--retain', '401d', '--yes'))
    assert.deepEqual([tooLong.status, /at most 400 days/.test(tooLong.stderr)], [2, true], tooLong.stderr)
  })
})

describe('blindkeep inbox adopt --retain', () => {
  it('protects the file from its landing on, and after a kill as it was begun', async () => {
    const adopting = (id: string, ...more: readonly string[]) => [
      ...['inbox', 'adopt', id, '--album', 'Backups', '--yes', ...as, ...more],
    ]
    const dropId = await drop(randomBytes(10), { name: 'killed.txt' })
    const hold = holding(({ method, path }: Exchanged) => method === 'POST' && path === '/v1/upload', 0)
    world.proxy.tamper(hold)
    const child = start(adopting(dropId, '--retain', '10d'))
    await hold.held
    child.kill('SIGKILL')
    await new Promise((ended) => child.once('close', ended))
    world.proxy.tamper()
    const other = await drop(randomBytes(10), { name: 'other.txt' })
    // What an earlier call has begun is finished as it was begun there.
    const adopted = await facts(adopting(other, '--retain', '20d'))
    const daysOfDrop = async (id: string) => daysOf(adopted.find(({ drop_id }) => drop_id === id)?.asset_id)
    assert.deepEqual([await daysOfDrop(dropId), await daysOfDrop(other)], [10, 20])
  })
})

describe('blindkeep retain', () => {
  it('raises it for files or an album, says how many, and lists until when', async () => {
    await folder('more', { 'c.txt': randomBytes(10), 'd.txt': randomBytes(10) })
    await owner.createAlbum({ name: 'Scans' })
    const sent = await filesOf(['upload', '--album', 'Scans', 'more', ...as])
    const [one] = await facts(['retain', sent[0].asset_id, '--for', '5d', '--yes', ...as])
    assert.deepEqual([one.event, one.raised, one.kept, one.skipped], ['retained', 1, 0, 0])
    const until = new Date(Date.now() + 3 * DAY_MS).toISOString()
    const all = await run(['retain', '--album', 'Scans', '--until', until, '--yes', ...as])
    assert.deepEqual([all.status, all.stderr], [0, ''])
    assert.match(all.stdout, /1 file is retained until .*1 other was retained for as long before/)
    assert.deepEqual(await Promise.all(sent.map(({ asset_id }) => daysOf(asset_id))), [5, 3])
    const listed = await run(['ls', 'Scans', ...as])
    assert.match(listed.stdout, /[cd]\.txt \(retained until \d{4}-/)
    for (const wrong of [
      ['retain', '--for', '5d'],
      ['retain', sent[0].asset_id],
      ['retain', sent[0].asset_id, '--album', 'Scans', '--for', '5d'],
    ])
      assert.equal((await run([...wrong, '--yes', ...as])).status, 2)
  })
})
